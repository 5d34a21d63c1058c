//! Rust expressions with their types, as far as they are known.

use wattle_heat::yaml::{Node, Pair};

use super::catalog::Ty;
use super::rust::Expr;

/// An expression and its Rust type, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Valued {
    pub(super) expr: Expr,
    pub(super) ty: Ty,
}

impl Valued {
    pub(super) fn new(expr: Expr, ty: Ty) -> Self {
        Self { expr, ty }
    }

    /// The value of a function: `hot::NAME(...)`.
    pub(super) fn hot(name: &str, arguments: impl IntoIterator<Item = Expr>) -> Self {
        Self::new(Expr::call(format!("hot::{name}"), arguments), Ty::Value)
    }

    /// The value in a form that fits any required type.
    pub(super) fn wrapped(self) -> Self {
        match self.ty {
            Ty::Value => self,
            _ => Self::hot("value", [self.expr]),
        }
    }

    /// The value for a property that accepts anything.
    pub(super) fn anything(self) -> Self {
        if self.ty.is_anything() { self } else { self.wrapped() }
    }
}

/// The pairs of a map as Heat sees them: for equal keys, the last value at the first position.
pub(super) fn entries(pairs: &[Pair]) -> Vec<(String, &Node)> {
    let mut found: Vec<(String, &Node)> = Vec::new();
    for pair in pairs {
        let key = pair.key.as_key();
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, value)) => *value = &pair.value,
            None => found.push((key, &pair.value)),
        }
    }
    found
}

/// A list whose items may have different types.
pub(super) fn list(items: Vec<Valued>) -> Valued {
    if items.is_empty() {
        return Valued::hot("empty_list", []);
    }
    let (items, ty) = alike(items);
    let length = items.len();
    Valued::new(Expr::Array(items), Ty::Array(Box::new(ty), length))
}

/// Values of one type, unchanged if they already have the same type.
pub(super) fn alike(values: Vec<Valued>) -> (Vec<Expr>, Ty) {
    let same = values.first().map(|first| first.ty.clone()).filter(|ty| values.iter().all(|value| value.ty == *ty));
    match same {
        Some(ty) => (values.into_iter().map(|value| value.expr).collect(), ty),
        None => (values.into_iter().map(|value| value.wrapped().expr).collect(), Ty::Value),
    }
}

/// The integer `value`, in the notation of `node`.
pub(super) fn integer(node: &Node, value: i128) -> Valued {
    let literal = |suffix| as_written(node).unwrap_or_else(|| grouped(value)) + suffix;
    if i32::try_from(value).is_ok() {
        Valued::new(Expr::atom(digits(node, value)), Ty::Integer)
    } else if i64::try_from(value).is_ok() {
        Valued::new(Expr::atom(literal("_i64")), Ty::Wide("i64"))
    } else if u64::try_from(value).is_ok() {
        Valued::new(Expr::atom(literal("_u64")), Ty::Wide("u64"))
    } else {
        // No integer type of a property is this wide.
        Valued::hot("value", [Expr::atom(format!("wattle::model::Value::Integer({})", literal("")))])
    }
}

/// The number in its original base.
pub(super) fn digits(node: &Node, value: i128) -> String {
    as_written(node).unwrap_or_else(|| value.to_string())
}

/// The Rust literal of a number in a base other than ten: YAML's `0755` is `0o755`.
pub(super) fn as_written(node: &Node) -> Option<String> {
    let word = node.written()?.replace('_', "");
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", word.strip_prefix('+').unwrap_or(&word)),
    };
    if digits.starts_with("0x") || digits.starts_with("0b") {
        return Some(format!("{sign}{digits}"));
    }
    let octal = digits.strip_prefix('0')?.trim_start_matches('0');
    let is_octal = !octal.is_empty() && octal.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
    is_octal.then(|| format!("{sign}0o{octal}"))
}

/// Digits in groups of three.
fn grouped(value: i128) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

/// A literal of type `f64`.
pub(super) fn float(value: f64) -> String {
    if value.is_nan() {
        "f64::NAN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "f64::INFINITY".into() } else { "f64::NEG_INFINITY".into() }
    } else {
        format!("{value:?}")
    }
}
