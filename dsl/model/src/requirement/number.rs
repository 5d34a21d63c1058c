//! Comparing values: numbers compare by value, however they were written.

use std::cmp::Ordering;

use crate::Value;

/// Compares two numbers. `None` if either is not a number.
pub fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => Some(one.cmp(other)),
        (Value::Float(one), Value::Float(other)) => one.partial_cmp(other),
        (Value::Integer(one), Value::Float(other)) => with_float(*one, *other),
        (Value::Float(one), Value::Integer(other)) => with_float(*other, *one).map(Ordering::reverse),
        _ => None,
    }
}

/// Compares an integer with a float exactly, because not every integer can be represented as a float.
fn with_float(integer: i128, float: f64) -> Option<Ordering> {
    if !float.is_finite() {
        return 0.0_f64.partial_cmp(&float);
    }
    #[expect(clippy::cast_possible_truncation, reason = "saturates, and no value is as large")]
    let whole = float.trunc() as i128;
    // The fractional part decides whether the float is greater.
    let rest = 0.0_f64.partial_cmp(&float.fract())?;
    Some(integer.cmp(&whole).then(rest))
}

/// Whether both are equal.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            compare(one, other) == Some(Ordering::Equal)
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_are_compared_exactly() {
        let large = 9_007_199_254_740_993_i64;
        for (one, other, expected) in [
            (Value::from(1), Value::from(1.0), Ordering::Equal),
            (1.into(), 1.5.into(), Ordering::Less),
            ((-1).into(), (-1.5).into(), Ordering::Greater),
            (2.into(), 1.5.into(), Ordering::Greater),
            // Converted to a float, it would be one less.
            (large.into(), 9_007_199_254_740_992.0.into(), Ordering::Greater),
            (u64::MAX.into(), 18_446_744_073_709_551_616.0.into(), Ordering::Less),
            (0.into(), f64::INFINITY.into(), Ordering::Less),
            (0.into(), f64::NEG_INFINITY.into(), Ordering::Greater),
        ] {
            assert_eq!(compare(&one, &other), Some(expected), "{one} {other}");
            assert_eq!(compare(&other, &one), Some(expected.reverse()), "{other} {one}");
        }
        assert_eq!(compare(&1.into(), &f64::NAN.into()), None);
        assert_eq!(compare(&1.into(), &"1".into()), None);
    }

    #[test]
    fn what_is_the_same_may_be_written_otherwise() {
        let map = |json: &str| serde_json::from_str::<Value>(json).expect("JSON");
        assert!(same(&map(r#"{"a": [1], "b": 2}"#), &map(r#"{"b": 2.0, "a": [1.0]}"#)));
        assert!(!same(&map(r#"{"a": 1}"#), &map(r#"{"a": 1, "b": 2}"#)));
        assert!(!same(&"1".into(), &1.into()));
    }
}
