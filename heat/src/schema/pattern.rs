//! Regular expressions in constraints, as Python's `re` reads them.

use std::fmt::Write as _;

/// Whether Python's `re.match` consumes all of `text`. A pattern that only Python understands is assumed to match.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some(pattern) = with_letters(&with_repetitions(pattern), text) else { return true };
    let begins_with = |pattern: &str| regex_lite::Regex::new(&format!("^(?:{pattern})")).ok();
    let (assertions, rest) = assertions(&pattern);
    let fails = |(inner, holds): &(&str, bool)| begins_with(inner).is_some_and(|regex| regex.is_match(text) != *holds);
    if assertions.iter().any(fails) {
        return false;
    }
    let Some(regex) = begins_with(rest) else { return true };
    regex.find(text).is_some_and(|found| found.end() == text.len())
}

/// What a pattern asserts of the text before it consumes any of it (`(?=...)`, `(?!...)`), each with whether it must match, and the
/// rest of the pattern. Passwords are often described like that.
fn assertions(pattern: &str) -> (Vec<(&str, bool)>, &str) {
    let (mut found, mut rest) = (Vec::new(), pattern.trim_start_matches('^'));
    while let Some(inner) = rest.strip_prefix("(?=").or_else(|| rest.strip_prefix("(?!")) {
        let Some(end) = end_of_group(inner) else { break };
        found.push((&inner[..end], rest.starts_with("(?=")));
        rest = &inner[end + 1..];
    }
    // They belong to the first of alternatives alone.
    if found.is_empty() || has_alternatives(rest) { (Vec::new(), pattern) } else { (found, rest) }
}

/// Where a group ends, behind whose parenthesis `text` begins.
fn end_of_group(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    outside_of_classes(text).find_map(|(at, sign)| match sign {
        '(' => {
            depth += 1;
            None
        }
        ')' if depth == 0 => Some(at),
        ')' => {
            depth -= 1;
            None
        }
        _ => None,
    })
}

fn has_alternatives(text: &str) -> bool {
    let mut depth = 0_i64;
    outside_of_classes(text).any(|(_, sign)| {
        depth += i64::from(sign == '(') - i64::from(sign == ')');
        sign == '|' && depth == 0
    })
}

/// The signs of a pattern that are neither escaped nor in a class.
pub(crate) fn outside_of_classes(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut is_escaped, mut class) = (false, None);
    pattern.char_indices().filter(move |&(at, sign)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        is_escaped = sign == '\\';
        match class {
            // A bracket that comes first does not close the class.
            Some(begun) if sign == ']' && at > begun && !is_escaped => class = None,
            Some(begun) if sign == '^' && at == begun => class = Some(at + 1),
            None if sign == '[' => class = Some(at + 1),
            None => return !is_escaped,
            Some(_) => {}
        }
        false
    })
}

/// The pattern with the letters of `text` that only Python counts among `\w`: classes of this crate's engine are ASCII. `None` if it
/// has a class or position that cannot be written like that.
fn with_letters(pattern: &str, text: &str) -> Option<String> {
    let letters: String = text.chars().filter(|sign| !sign.is_ascii() && sign.is_alphanumeric()).collect();
    let is_number = text.chars().any(|sign| !sign.is_ascii() && sign.is_numeric());
    let is_space = text.chars().any(|sign| !sign.is_ascii() && sign.is_whitespace());
    let mut out = String::with_capacity(pattern.len());
    let (mut signs, mut in_class, mut is_first) = (pattern.chars(), false, false);
    while let Some(sign) = signs.next() {
        let was_first = std::mem::take(&mut is_first);
        if sign != '\\' {
            (in_class, is_first) = match sign {
                '[' if !in_class => (true, true),
                ']' => (in_class && was_first, false),
                _ => (in_class, was_first && sign == '^'),
            };
            out.push(sign);
            continue;
        }
        let escaped = signs.next();
        match escaped {
            Some('b' | 'B' | 'W') if !letters.is_empty() && (in_class || escaped != Some('W')) => return None,
            Some('d' | 'D') if is_number => return None,
            Some('s' | 'S') if is_space => return None,
            Some('w') if !letters.is_empty() && in_class => out.extend(["\\w", &letters]),
            Some('w') if !letters.is_empty() => out.extend(["[\\w", &letters, "]"]),
            Some('W') if !letters.is_empty() => out.extend(["[^\\w", &letters, "]"]),
            _ => {
                out.push(sign);
                out.extend(escaped);
            }
        }
    }
    Some(out)
}

/// The pattern with repetitions in the syntax of this crate's engine: in Python, `{,3}` is one as well, and a brace that
/// does not begin a repetition is literal.
fn with_repetitions(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut rest = pattern;
    while let Some(sign) = rest.chars().next() {
        let mut length = sign.len_utf8();
        match sign {
            '\\' => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            '[' if !in_class => {
                in_class = true;
                // A bracket that comes first does not close the class.
                let negated = usize::from(rest[length..].starts_with('^'));
                length += negated;
                length += usize::from(rest[length..].starts_with(']'));
            }
            ']' => in_class = false,
            '{' if !in_class => match repetition(&rest[length..]) {
                Some((least, most, inside)) => {
                    let _ = write!(out, "{{{}{most}}}", if least.is_empty() { "0" } else { least });
                    rest = &rest[length + inside..];
                    continue;
                }
                None => out.push('\\'),
            },
            _ => {}
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The minimum and maximum of the repetition whose brace precedes `text`, and its length.
fn repetition(text: &str) -> Option<(&str, &str, usize)> {
    let (inside, _) = text.split_once('}').filter(|(inside, _)| !inside.is_empty())?;
    let (least, most) = inside.find(',').map_or((inside, ""), |at| inside.split_at(at));
    let is_number = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
    (is_number(least) && is_number(most.strip_prefix(',').unwrap_or_default())).then_some((
        least,
        most,
        inside.len() + 1,
    ))
}

#[cfg(test)]
mod tests {
    use super::matches;

    /// The verdicts are Heat's.
    #[test]
    fn what_is_asserted_at_the_beginning_counts() {
        for (pattern, text) in [
            (r"(?=.*\d)[a-z\d]+", "abc1"),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Abcdefg1"),
            ("(?!admin)[a-z]+", "root"),
            (r"(?=[)(]*\d)[()\d]+", "(1"),
            ("(?=b)b|abc", "abc"),
            ("(?!x)[a-z]+", "abc"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            (r"(?=.*\d)[a-z\d]+", "abc"),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Abcdefgh"),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Abcdef1"),
            ("(?!admin)[a-z]+", "administrator"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn letters_are_those_of_all_languages() {
        for (pattern, text) in
            [(r"\w+", "Müller"), (r"[\w.]+", "ü.ß"), (r"\w+\W\w+", "ä ö"), (r"\d+", "\u{663}"), ("[a-z]+ü", "bü")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [(r"\W+", "ü"), ("[a-z]+", "ü"), (r"\w+", "ü!"), (r"\d+", "ü")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn braces_are_read_as_python_reads_them() {
        for (pattern, text) in [
            ("a{2}", "aa"),
            ("a{,2}", "aa"),
            ("a{1,}", "aaa"),
            ("a{n,s}", "a{n,s}"),
            ("a{2,a}", "a{2,a}"),
            ("{}", "{}"),
            ("a{,,2}", "a{,,2}"),
            ("[{]{2}", "{{"),
            (r"\{2}", "{2}"),
            ("[]{]+", "{]"),
            ("{", "{"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a{n,s}", "abc"), ("a{,2}", "aaa"), ("a{2,a}", "aa"), ("{}", ""), ("[{]{2}", "{")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
