//! The meaning of scalars: YAML 1.1's rules as implemented by PyYAML.
//!
//! The patterns are those of the YAML 1.1 type repository, <https://yaml.org/type/>, with PyYAML's deviations: the exponent
//! of a float requires a sign, and dates stay text, because Heat configures this.

use std::num::IntErrorKind;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::{Problem, Tree};
use crate::truth;

static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    )
});

static INTEGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+")
});

fn pattern(alternatives: &str) -> Regex {
    Regex::new(&format!("^(?:{alternatives})$")).expect("INVARIANT: a constant")
}

/// The meaning of a plain scalar without a tag, if it is not text.
pub(super) fn plain(text: &str) -> Result<Option<Tree>, Problem> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Tree::Null),
        _ => match (truth::of_word(text), text.as_bytes()[0]) {
            (Some(value), _) => Some(Tree::Boolean(value)),
            (_, b'-' | b'+' | b'.' | b'0'..=b'9') if FLOAT.is_match(text) => Some(Tree::Float(float(text)?)),
            (_, b'-' | b'+' | b'0'..=b'9') if INTEGER.is_match(text) => Some(Tree::Integer(integer(text)?)),
            _ => None,
        },
    })
}

/// The integer that PyYAML reads from a text.
pub(super) fn integer(text: &str) -> Result<i128, Problem> {
    let (negative, digits) = unsigned(text);
    let magnitude = if let Some(binary) = digits.strip_prefix("0b") {
        radix(binary, 2)
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        radix(hexadecimal, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        radix(&digits, 8)
    } else {
        // One part, or several in base 60.
        digits.split(':').try_fold(0_i128, |sum, part| {
            let sum = sum.checked_mul(60).ok_or(IntErrorKind::PosOverflow)?;
            sum.checked_add(radix(part, 10)?).ok_or(IntErrorKind::PosOverflow)
        })
    };
    match magnitude {
        Ok(magnitude) => Ok(if negative { -magnitude } else { magnitude }),
        Err(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => Err(Problem::TooLarge(text.to_owned())),
        Err(_) => Err(Problem::NotAnInteger(text.to_owned())),
    }
}

/// Like Python's `int`: it accepts surrounding white space, a sign, and a prefix.
fn radix(digits: &str, radix: u32) -> Result<i128, IntErrorKind> {
    let digits = digits.trim();
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    let prefix: &[&str] = match radix {
        2 => &["0b", "0B"],
        8 => &["0o", "0O"],
        16 => &["0x", "0X"],
        _ => &[],
    };
    let magnitude = prefix.iter().find_map(|prefix| unsigned.strip_prefix(prefix)).unwrap_or(unsigned);
    if magnitude.starts_with(['-', '+']) {
        return Err(IntErrorKind::InvalidDigit);
    }
    let magnitude = i128::from_str_radix(magnitude, radix).map_err(|error| *error.kind())?;
    Ok(if digits.starts_with('-') { -magnitude } else { magnitude })
}

/// The float that PyYAML reads from a text.
pub(super) fn float(text: &str) -> Result<f64, Problem> {
    read_float(text).ok_or_else(|| Problem::NotAFloat(text.to_owned()))
}

fn read_float(text: &str) -> Option<f64> {
    let (negative, digits) = unsigned(&text.to_ascii_lowercase());
    let magnitude = match digits.as_str() {
        ".inf" => f64::INFINITY,
        ".nan" => return Some(f64::NAN),
        _ if digits.contains(':') => {
            // From the right, as PyYAML adds them up, because floating-point addition is not associative.
            let mut base = 1.0;
            let mut sum = 0.0;
            for part in digits.rsplit(':') {
                sum += part.trim().parse::<f64>().ok()? * base;
                base *= 60.0;
            }
            sum
        }
        _ => digits.trim().parse().ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Whether there is a minus sign, and the text after the sign without underscores.
fn unsigned(text: &str) -> (bool, String) {
    let text = text.replace('_', "");
    let negative = text.starts_with('-');
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text).to_owned();
    (negative, digits)
}
