//! Regular expressions in constraints, as Python's `re` reads them.

use std::fmt::Write as _;

/// Whether Python's `re.match` consumes all of `text`. A pattern that only Python understands is assumed to match.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern = with_repetitions(pattern);
    let Ok(regex) = regex_lite::Regex::new(&format!("^(?:{pattern})")) else { return true };
    regex.find(text).is_some_and(|found| found.end() == text.len())
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
