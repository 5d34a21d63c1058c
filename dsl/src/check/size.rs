//! The size of a value as JSON, in bytes, computed without building the JSON.

use crate::model::{Expr, Value};

/// The minimum size of `value` in bytes.
pub(super) fn of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Boolean(_) => 4,
        Value::Integer(_) | Value::Float(_) => 1,
        Value::Str(text) => text.len() + 2,
        Value::List(items) => 2 + items.iter().map(|item| of_value(item) + 1).sum::<usize>(),
        Value::Map(items) => 2 + items.iter().map(|(name, item)| name.len() + of_value(item) + 4).sum::<usize>(),
    }
}

/// The size of the known parts of `value` in bytes.
pub(super) fn of_expression(value: &Expr) -> usize {
    match value {
        Expr::Constant(value) => of_value(value),
        Expr::Text(items) | Expr::List(items) => 2 + items.iter().map(|item| of_expression(item) + 1).sum::<usize>(),
        Expr::Map(items) => 2 + items.iter().map(|(name, item)| name.len() + of_expression(item) + 4).sum::<usize>(),
        Expr::Function { argument, .. } => of_expression(argument),
        Expr::Leaf(_) => 0,
    }
}

/// The size of the text `value` in bytes, as far as it is known.
pub(super) fn of_text(value: &Expr) -> usize {
    match value {
        Expr::Constant(Value::Str(text)) => text.len(),
        Expr::Text(parts) => parts.iter().map(of_text).sum(),
        _ => 0,
    }
}

/// Formats a number with separators: `49,149`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1_000, 49_149, 1_000_000].map(grouped), ["0", "999", "1,000", "49,149", "1,000,000"]);
    }

    #[test]
    fn a_value_is_about_as_long_as_its_json() {
        let value = Value::from(vec!["one".to_owned(), "two".to_owned()]);
        assert!(of_value(&value).abs_diff(value.to_string().len()) <= 2);
    }
}
