//! Reads JSON, and says what is wrong with it without quoting it.

use serde::Deserialize;
use serde_json::error::Category;

/// Reads JSON that a message must not quote. It may contain secrets, or someone else may have written it.
///
/// # Errors
/// If it is not JSON, or not the JSON of a `T`: what was expected, with the line and the column.
///
/// ```
/// use wattle_model::json;
///
/// assert_eq!(json::read(b"[1, 2]"), Ok(vec![1, 2]));
/// let why = json::read::<Vec<u32>>(br#"["hunter2"]"#);
/// assert_eq!(why, Err("expected u32 at line 1 column 10".to_owned()));
/// ```
pub fn read<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| reason(&error))
}

/// Why JSON could not be read, without what it holds.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // Only errors about the data's form quote the input. Syntax errors do not.
    if error.classify() != Category::Data {
        return text;
    }
    let place = format!(" at line {} column {}", error.line(), error.column());
    let (what, place) = text.strip_suffix(&place).map_or((&*text, ""), |what| (what, &place));
    // These two name our own fields. Other messages first quote what they found, and then say what was expected.
    if what.starts_with("missing field `") || what.starts_with("duplicate field `") {
        return text;
    }
    match what.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}{place}"),
        None => format!("it does not have the expected form{place}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only deserialized into")]
    struct Item {
        name: String,
        count: Option<u32>,
        way: Option<Way>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Way {
        Up,
        Down,
    }

    fn why<T: for<'a> Deserialize<'a> + Debug>(text: &str) -> String {
        let why = read::<T>(text.as_bytes()).expect_err("something is wrong");
        assert!(!why.contains("hunter2"), "{why}");
        why
    }

    #[test]
    fn what_is_wrong_is_said_and_not_quoted() {
        let item = why::<Item>;
        assert_eq!(item(r#""hunter2""#), "expected struct Item at line 1 column 9");
        assert_eq!(item(r#"{"name": "a", "count": "hunter2"}"#), "expected u32 at line 1 column 32");
        assert_eq!(item(r#"{"hunter2": 1}"#), "expected one of `name`, `count`, `way` at line 1 column 10");
        assert_eq!(item(r#"{"name": "a", "way": "hunter2"}"#), "expected `up` or `down` at line 1 column 30");
        assert_eq!(
            item(r#"{"name": "a", "way": {"hunter2": 1, "b": 2}}"#),
            "expected `up` or `down` at line 1 column 31"
        );
        assert_eq!(item("{\"count\": 1}"), "missing field `name` at line 1 column 12");
        assert_eq!(item(r#"{"name": "a", "name": "hunter2"}"#), "duplicate field `name` at line 1 column 20");
        assert_eq!(item("{\"name\": hunter2"), "expected value at line 1 column 10");
        assert_eq!(item("{\"name\": \"hunter2"), "EOF while parsing a string at line 1 column 17");
        assert_eq!(item(r#"{"name": "a", "count": -5}"#), "expected u32 at line 1 column 25");
    }

    /// The value may end with the same words as the message.
    #[test]
    fn words_of_the_message_in_the_value_change_nothing() {
        assert_eq!(why::<Vec<u8>>(r#"", expected hunter2""#), "expected a sequence at line 1 column 20");
        assert_eq!(why::<Vec<u8>>(r#""missing field `hunter2""#), "expected a sequence at line 1 column 24");
    }

    /// Our own types may use their own words for what they refuse.
    #[test]
    fn what_a_type_says_of_a_value_is_not_shown() {
        #[derive(Debug)]
        struct Own;
        impl<'a> Deserialize<'a> for Own {
            fn deserialize<D: serde::Deserializer<'a>>(given: D) -> Result<Self, D::Error> {
                let text = String::deserialize(given)?;
                Err(serde::de::Error::custom(format!("`{text}` is none")))
            }
        }
        assert_eq!(why::<Own>(r#""hunter2""#), "it does not have the expected form");
        assert_eq!(why::<Vec<Own>>(r#"["hunter2"]"#), "it does not have the expected form at line 1 column 11");
    }
}
