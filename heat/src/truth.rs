//! Heat's words for true and false, and where each of them applies.
//!
//! If Heat does not parse a text, Python's truth value decides (`Node::is_truthy`): for conditions, for `hidden` and
//! `immutable`, and within classes.

/// The words that [`of_parameter`] accepts, for messages.
pub const PARAMETER: &str = "true, t, yes, y, on and 1, or false, f, no, n, off and 0";

/// How a parameter, and everything else that is declared a boolean, reads a text: `strict` of
/// `oslo_utils.strutils.bool_from_string`, which `heat.engine.parameters.BooleanParam` and `heat.engine.constraints.Schema`
/// use. Surrounding white space is ignored.
pub fn of_parameter(text: &str) -> Option<bool> {
    said(text.trim(), [&["1", "t", "true", "on", "y", "yes"], &["0", "f", "false", "off", "n", "no"]])
}

/// How a property reads a text: `heat.engine.properties.Property._get_bool`.
pub fn of_property(text: &str) -> Option<bool> {
    said(text, [&["true"], &["false"]])
}

/// How YAML 1.1 reads a word with an explicit tag: `bool_values` of `yaml.constructor.SafeConstructor`.
pub fn of_tagged(text: &str) -> Option<bool> {
    said(text, [&["yes", "true", "on"], &["no", "false", "off"]])
}

/// The meaning of `text`, given the words for true and for false, ignoring case.
fn said(text: &str, words: [&[&str]; 2]) -> Option<bool> {
    let [yes, no] = words.map(|words| words.iter().any(|word| word.eq_ignore_ascii_case(text)));
    (yes || no).then_some(yes)
}

/// How YAML 1.1 reads a plain word, according to `yaml.resolver.Resolver`: in lowercase, in uppercase, or with an initial
/// capital, so that `yEs` is text.
pub fn of_word(text: &str) -> Option<bool> {
    let rest = text.get(1..)?;
    let is_one_case = rest.chars().all(|letter| letter.is_ascii_lowercase())
        || text.chars().all(|letter| letter.is_ascii_uppercase());
    if is_one_case { of_tagged(text) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_words_of_its_own() {
        // The word, and its meaning for a parameter, for a property, with a tag, and as a plain word.
        for (word, expected) in [
            ("true", [Some(true); 4]),
            ("FALSE", [Some(false); 4]),
            ("tRue", [Some(true), Some(true), Some(true), None]),
            ("Yes", [Some(true), None, Some(true), Some(true)]),
            ("off", [Some(false), None, Some(false), Some(false)]),
            ("t", [Some(true), None, None, None]),
            ("N", [Some(false), None, None, None]),
            ("1", [Some(true), None, None, None]),
            (" on ", [Some(true), None, None, None]),
            (" true", [Some(true), None, None, None]),
            ("", [None; 4]),
            ("ö", [None; 4]),
            ("2", [None; 4]),
        ] {
            let said = [of_parameter, of_property, of_tagged, of_word].map(|of| of(word));
            assert_eq!(said, expected, "`{word}`");
        }
    }

    #[test]
    fn every_word_of_the_message_is_read() {
        let (yes, no) = PARAMETER.split_once(", or ").expect("two halves");
        for (half, expected) in [(yes, true), (no, false)] {
            let words: Vec<_> = half.split(", ").flat_map(|part| part.split(" and ")).collect();
            assert_eq!(words.len(), 6);
            assert!(words.iter().all(|word| of_parameter(word) == Some(expected)), "{words:?}");
        }
    }
}
