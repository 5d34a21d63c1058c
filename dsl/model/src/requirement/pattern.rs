//! Regular expressions: ours, which match all of a text, and what Heat, that is Python, makes of them.

use std::fmt::Write as _;

use regex_lite::Regex;

/// The expression that matches a text if `pattern` matches all of it.
///
/// # Errors
/// What is wrong with it.
pub fn compiled(pattern: &str) -> Result<Regex, regex_lite::Error> {
    // By itself first: what is wrong with it must not be fixed by what stands around it.
    Regex::new(pattern)?;
    Regex::new(&format!("^(?:{pattern})$"))
}

/// The pattern by which Heat allows the same texts; none if it might not.
///
/// Python's `re.match` begins at the start and Heat then asks for a match that ends at the end, without looking for another
/// one; hence `^(?:...)$`. Only what means the same to both is taken: our classes are ASCII's and Python's Unicode's, so
/// those that have a name are written out.
pub fn of_heat(pattern: &str) -> Option<String> {
    compiled(pattern).ok()?;
    let mut out = String::from("^(?:");
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str(&escape(chars.next()?, in_class)?),
            // Set operations and named classes are ours only.
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
                // The first one is no end to Python.
                if chars.peek() == Some(&']') {
                    return None;
                }
            }
            ']' => {
                // One that ends nothing is refused by some and taken by others.
                if !in_class {
                    return None;
                }
                in_class = false;
                out.push(c);
            }
            _ if in_class => out.push(c),
            // Groups of other kinds and flags are written differently.
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
            // Python's `$` also matches before a newline that ends the text.
            '^' | '$' => return None,
            '*' | '+' | '?' | '}' => {
                out.push(c);
                // Python takes it for a possessive repetition, or refuses it.
                if matches!(chars.peek(), Some('+' | '*')) {
                    return None;
                }
            }
            '{' => {
                out.push(c);
                // `{,n}` is a repetition to Python only.
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

/// `text` as a pattern that matches nothing else, for Python.
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
