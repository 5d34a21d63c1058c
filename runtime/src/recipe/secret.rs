//! Which parts of a value are secret by its type: one rule for masks and for plain outputs.
//!
//! Only values are secret. The names of a struct's fields are in the blueprint, and the keys of a map only name the
//! values: `postgres` in `{"postgres": "s3cr3t"}` is in many texts that reveal nothing.

use wattle::model::{Name, Type, Value};

/// A text or a number in a value, or a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'v> {
    /// A value that is secret.
    Secret(&'v Value),
    /// A value that is not secret.
    Plain(&'v Value),
    /// A key of a map, which is not secret itself.
    Key(&'v Name),
}

/// All texts and numbers in `value`, which is of type `ty`. If something does not match its type, it is unknown which
/// part is secret.
pub(crate) fn parts<'v>(ty: &Type, value: &'v Value) -> Vec<Part<'v>> {
    let mut found = Vec::new();
    walk(ty, value, ty.is_secret() && ty.refuse(value).is_some(), &mut found);
    found
}

/// The secret parts.
pub(crate) fn secrets<'v>(ty: &Type, value: &'v Value) -> impl Iterator<Item = &'v Value> {
    parts(ty, value).into_iter().filter_map(|part| match part {
        Part::Secret(value) => Some(value),
        Part::Plain(_) | Part::Key(_) => None,
    })
}

fn walk<'v>(ty: &Type, value: &'v Value, is_secret: bool, found: &mut Vec<Part<'v>>) {
    match (ty, value) {
        (Type::Hidden(ty), value) => walk(ty, value, true, found),
        (_, Value::Null | Value::Boolean(_)) => {}
        (ty, Value::List(values)) => {
            let item = if let Type::List(item) = ty { item } else { &Type::Any };
            values.iter().for_each(|value| walk(item, value, is_secret, found));
        }
        (Type::Struct(fields), Value::Map(values)) => {
            for (name, value) in values {
                walk(fields.get(name).unwrap_or(&Type::Any), value, is_secret, found);
            }
        }
        (ty, Value::Map(values)) => {
            let item = if let Type::Map(item) = ty { item } else { &Type::Any };
            for (key, value) in values {
                if !is_secret {
                    found.push(Part::Key(key));
                }
                walk(item, value, is_secret, found);
            }
        }
        (_, value) => found.push(if is_secret { Part::Secret(value) } else { Part::Plain(value) }),
    }
}
