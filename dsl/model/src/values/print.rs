//! Values as text: what a shell recipe finds in its environment, and what `text!` inserts between its own words.

use crate::Value;

/// Writes `value` as text: a string unchanged, a boolean as `true` or `false`, a number in decimal, a list or map as compact
/// JSON, and null as empty text.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Str(text) => text.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::Value;

    #[test]
    fn values_are_printed_as_the_convention_says() {
        let printed = |json: &str| text(&serde_json::from_str::<Value>(json).unwrap());
        assert_eq!(printed(r#""a \"b\" c\n""#), "a \"b\" c\n");
        assert_eq!(printed("true"), "true");
        assert_eq!(printed("18446744073709551615"), "18446744073709551615");
        assert_eq!(printed("-9223372036854775808"), "-9223372036854775808");
        assert_eq!(printed("0.5"), "0.5");
        assert_eq!(printed(r#"["a", {"b": [1, 2.5, null]}]"#), r#"["a",{"b":[1,2.5,null]}]"#);
        assert_eq!(printed("null"), "");
    }
}
