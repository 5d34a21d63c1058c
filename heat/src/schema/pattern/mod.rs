//! Regular expressions in constraints, as Python's `re` reads and matches them. It takes the first match in its order of
//! alternatives, so `a|ab` does not match all of `ab`; and patterns may contain backreferences (`\\1`) and lookarounds
//! (`(?<=a)`).

mod machine;
mod parser;

/// Whether Python's `re.match` consumes all of `text`. A pattern that is not supported here, or takes too long, is assumed
/// to match.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some(pattern) = parser::parse(pattern) else { return true };
    machine::matches(&pattern, text).unwrap_or(true)
}

/// The characters of a pattern that are neither escaped nor in a class.
pub(crate) fn outside_of_classes(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut is_escaped, mut class) = (false, None);
    pattern.char_indices().filter(move |&(at, sign)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        is_escaped = sign == '\\';
        match class {
            // A bracket at the start of a class does not close it.
            Some(begun) if sign == ']' && at > begun && !is_escaped => class = None,
            Some(begun) if sign == '^' && at == begun => class = Some(at + 1),
            None if sign == '[' => class = Some(at + 1),
            None => return !is_escaped,
            Some(_) => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    /// The expected results are Heat's.
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

    /// The expected results are those of Python 3.11.
    #[test]
    fn what_goes_back_or_looks_around_is_understood() {
        for (pattern, text) in [
            (r"(a|b)\1", "bb"),
            (r"(?P<x>\w)-(?P=x)", "q-q"),
            (r"(?i)(a)\1", "aA"),
            ("[a-z]+(?<!root)", "admin"),
            ("a(?=bc)bc", "abc"),
            (r"\w+(?<=\d)", "abc1"),
            ("(?:a|ab)(?=c)c", "abc"),
            ("(a)?(?(1)b|c)", "ab"),
            ("(a)?(?(1)b|c)", "c"),
            (r"(?s)a.b", "a\nb"),
            (r"(?m)a$\nb", "a\nb"),
            ("(?x) a b # both", "ab"),
            ("a(?#nothing)b", "ab"),
            (r"\Aab\Z", "ab"),
            (r"\x41\u00e4\n", "A\u{e4}\n"),
            ("(?>a+)b", "aab"),
            ("a++b", "aab"),
            ("(a*)*b", "aab"),
            ("(?:(?:a)?)+", "aa"),
            (r"[^\W\d]+", "ab"),
            ("a+?", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            (r"(a|b)\1", "ab"),
            (r"(?P<x>\w)-(?P=x)", "q-p"),
            ("[a-z]+(?<!root)", "root"),
            ("a(?=bd)bc", "abc"),
            (r"\w+(?<=\d)", "abc"),
            ("(a)?(?(1)b|c)", "b"),
            ("a.b", "a\nb"),
            (r"a$\nb", "a\nb"),
            ("a|ab", "ab"),
            ("a+?", "aa"),
            ("(?>a+)ab", "aab"),
            ("a++ab", "aab"),
            (r"(a)|b\1", "b"),
            (r"[^\W\d]+", "a1"),
            ("x*", "y"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_takes_too_long_is_assumed_to_match() {
        assert!(matches("(a*)*(a*)*c", &"a".repeat(40)));
        assert!(matches("(?:ab)*c", &"ab".repeat(100_000)));
        assert!(matches(&"(".repeat(100_000), "a"));
        assert!(!matches("[a-z]*1", &"a".repeat(100_000)));
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
