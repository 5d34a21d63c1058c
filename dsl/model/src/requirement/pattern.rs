//! Regular expressions: ours, which match the whole text, and their translation for Heat, which uses Python's.

use std::fmt::Write as _;

use regex_lite::Regex;

/// Compiles a regular expression that matches a text if `pattern` matches all of it.
///
/// # Errors
/// The pattern is not a valid regular expression.
pub fn compiled(pattern: &str) -> Result<Regex, regex_lite::Error> {
    // Compiled on its own first: the surrounding group must not make an invalid pattern valid.
    Regex::new(pattern)?;
    Regex::new(&format!("^(?:{pattern})$"))
}

/// The pattern with which Heat accepts the same texts, or `None` if it might not.
///
/// Python's `re.match` starts at the beginning. Heat then requires that match to end at the end, without trying another one;
/// hence `^(?:...)$`. Only syntax that means the same in both engines is translated. Our classes are ASCII and Python's are
/// Unicode, so named classes are expanded.
pub fn of_heat(pattern: &str) -> Option<String> {
    compiled(pattern).ok()?;
    let mut out = String::from("^(?:");
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str(&escape(chars.next()?, in_class)?),
            // Only our syntax has set operations and named classes.
            '[' | '&' | '~' | '-' if in_class => {
                if c != '-' || chars.peek() == Some(&'-') {
                    return None;
                }
                out.push(c);
            }
            '[' => {
                in_class = true;
                out.push(c);
                if chars.peek() == Some(&'^') {
                    out.extend(chars.next());
                }
                // In Python, a bracket that comes first does not close the class.
                if chars.peek() == Some(&']') {
                    return None;
                }
            }
            ']' => {
                // Some engines refuse a bracket that closes nothing, others accept it.
                if !in_class {
                    return None;
                }
                in_class = false;
                out.push(c);
            }
            _ if in_class => out.push(c),
            // The two engines write other kinds of groups and flags differently.
            '(' => {
                out.push(c);
                if chars.peek() == Some(&'?') {
                    chars.next();
                    if chars.next() != Some(':') {
                        return None;
                    }
                    out.push_str("?:");
                }
            }
            // Python's `$` also matches before a newline at the end of the text.
            '^' | '$' => return None,
            '*' | '+' | '?' | '}' => {
                out.push(c);
                // Python reads this as a possessive quantifier, or refuses it.
                if matches!(chars.peek(), Some('+' | '*')) {
                    return None;
                }
            }
            '{' => {
                out.push(c);
                // Only Python reads `{,n}` as a repetition.
                if !chars.peek().is_some_and(char::is_ascii_digit) {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    out.push_str(")$");
    Some(out)
}

fn escape(c: char, in_class: bool) -> Option<String> {
    let class = |inside: &str, negated: bool| match (in_class, negated) {
        (true, true) => None,
        (true, false) => Some(inside.to_owned()),
        (false, _) => Some(format!("[{}{inside}]", if negated { "^" } else { "" })),
    };
    match c {
        'd' | 'D' => class("0-9", c == 'D'),
        'w' | 'W' => class("0-9A-Za-z_", c == 'W'),
        's' | 'S' => class("\\t\\n\\v\\f\\r ", c == 'S'),
        'n' | 't' | 'r' | 'f' | 'v' => Some(format!("\\{c}")),
        c if c.is_ascii_punctuation() && !matches!(c, '<' | '>') => Some(format!("\\{c}")),
        _ => None,
    }
}

/// `text` as a Python pattern that matches nothing else.
pub fn literal(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_punctuation() => {
                let _ = write!(out, "\\{c}");
            }
            c => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_a_text_is_matched() {
        let matches = |pattern: &str, text: &str| compiled(pattern).expect("a pattern").is_match(text);
        assert!(matches("a|ab", "ab"));
        assert!(!matches("a", "ab") && !matches("b", "ab") && !matches("a", "a\n"));
        assert!(compiled("a)(b").is_err() && compiled("(").is_err());
    }

    #[test]
    fn heat_is_told_what_means_the_same_to_it() {
        for (ours, heats) in [
            ("[a-z]+", "^(?:[a-z]+)$"),
            (r"\d{3,}|\w*", "^(?:[0-9]{3,}|[0-9A-Za-z_]*)$"),
            (r"[\d.]+?", "^(?:[0-9.]+?)$"),
            (r"(?:a|b)\.c", r"^(?:(?:a|b)\.c)$"),
            (r"\D", "^(?:[^0-9])$"),
        ] {
            assert_eq!(of_heat(ours).as_deref(), Some(heats));
        }
        for ours in
            ["a$", "^a", "(?i)a", "[[:alpha:]]", r"[\D]", r"\bx", "[a&&b]", "(?<n>a)", "[]a]", r"\x41", "(", "[a--b]"]
        {
            assert_eq!(of_heat(ours), None, "{ours}");
        }
    }
}
