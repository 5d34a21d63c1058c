//! Values at run time: checking them against their types, writing them as text, and parsing them.
//!
//! What lives here: pure functions that agents, `seed apply` and simulated runs share, so that a value is judged alike
//! wherever it comes from. What must not: where values are kept, and who can read them.

mod failure;
mod parse;
mod print;

use crate::{Scalar, Type, Value};

pub use failure::FailureKind;
pub use parse::{fit, fit_unseen, parse, parse_unseen};
pub use print::text;
pub use wattle_words::time::span;

/// The most bytes that one value can take in a data space. `ZooKeeper` drops the connection of a client that sends more than
/// 1,048,575 bytes in one request (`jute.maxbuffer`). The rest is for the path and the request's own fields.
pub const MAX_DATA: usize = 1_000_000;

/// How long an agent whose wait has timed out waits for the failure of the component that it depends on, to pass that
/// failure on.
pub const ASKING: std::time::Duration = std::time::Duration::from_secs(4);

/// Why `value` is not of type `ty`, worded for a message. `None` if it is. For a secret, the message does not contain the
/// value.
///
/// ```
/// use wattle_model::Type;
/// use wattle_model::values::refuse;
///
/// assert_eq!(refuse(&Type::IP, &"10.0.0.5".into()), None);
/// assert_eq!(refuse(&Type::IP, &"nowhere".into()).as_deref(), Some("`nowhere` is not an IP address"));
/// let secret = Type::Hidden(Box::new(Type::IP));
/// assert_eq!(refuse(&secret, &"hunter2".into()).as_deref(), Some("expected an IP address (secret), found something else"));
/// ```
pub fn refuse(ty: &Type, value: &Value) -> Option<String> {
    let why = ty.refuse(value)?;
    Some(if ty.is_secret() { format!("expected {ty}, found something else") } else { why })
}

/// Why `value` is not of type `ty`, without any part of the value: a value that ended up in the wrong place may be a
/// secret.
///
/// ```
/// use wattle_model::Type;
/// use wattle_model::values::refuse_unseen;
///
/// assert_eq!(refuse_unseen(&Type::IP, &"10.0.0.5".into()), None);
/// let why = refuse_unseen(&Type::IP, &"hunter2".into());
/// assert_eq!(why.as_deref(), Some("expected an IP address, found a string that is not one"));
/// ```
pub fn refuse_unseen(ty: &Type, value: &Value) -> Option<String> {
    let why = refuse(ty, value)?;
    Some(if ty.is_secret() { why } else { unseen(ty, value) })
}

/// Why a value is not of type `ty`, without quoting the value.
fn unseen(ty: &Type, value: &Value) -> String {
    let is_wrong = |ty: &Type, value: &Value| ty.refuse(value).is_some();
    let inside = match (ty, value) {
        (Type::List(item), Value::List(values)) => values
            .iter()
            .position(|value| is_wrong(item, value))
            .map(|at| format!("item {at}: {}", unseen(item, &values[at]))),
        (Type::Map(item), Value::Map(values)) => values
            .values()
            .find(|value| is_wrong(item, value))
            .map(|value| format!("one of the values: {}", unseen(item, value))),
        (Type::Struct(fields), Value::Map(values)) => fields.iter().find_map(|(name, ty)| match values.get(name) {
            None => Some(format!("`{name}` is missing")),
            Some(value) => is_wrong(ty, value).then(|| format!("`{name}`: {}", unseen(ty, value))),
        }),
        _ => None,
    };
    inside.unwrap_or_else(|| {
        let found = value.kind();
        let is_alike = match (ty, value) {
            (Type::Scalar(Scalar::Integer { .. }), Value::Integer(_))
            | (Type::Scalar(Scalar::Float | Scalar::Seconds), Value::Integer(_) | Value::Float(_))
            | (Type::Struct(_) | Type::Any, _) => true,
            (Type::Scalar(scalar), Value::Str(_)) => {
                !matches!(scalar, Scalar::Boolean | Scalar::Integer { .. } | Scalar::Float | Scalar::Seconds)
            }
            _ => false,
        };
        format!("expected {ty}, found {found}{}", if is_alike { " that is not one" } else { "" })
    })
}

/// Why a value of `bytes` bytes is too large for a data space, worded for a message.
pub fn too_large(bytes: impl std::fmt::Display) -> String {
    format!("{bytes} bytes, but the data space takes at most {MAX_DATA}")
}
