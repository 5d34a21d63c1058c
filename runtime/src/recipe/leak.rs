//! Whether an output that everybody may read holds a secret.
//!
//! A secret in a plain output would be published in clear: that is refused, and not only masked in the log. Looked for is each
//! secret as a whole, in the forms in which masks know it. One that is short, or that stands in a plain input of the component as
//! well, is no proof: `shop` as a password may be the name of the database, too.

use wattle::model::{IndexMap, Name, Type, Value};
use wattle::values;

use super::{Broken, Mask};
use crate::space::{Kind, PlannedComponent};

/// Fewest bytes of a secret that is looked for: fewer stand in other texts by chance.
const SHORT: usize = 6;

/// Refuses to publish `value` as the output `name` if that is plain and holds one of the secrets among the inputs that the recipe
/// was `given` or the outputs that it has `written`.
///
/// # Errors
/// Which secret it holds.
pub(crate) fn refuse(
    component: &PlannedComponent,
    given: &IndexMap<Name, Value>,
    written: &IndexMap<Name, Value>,
    (name, value): (&str, &Value),
) -> Result<(), Broken> {
    let Some(output) = component.outputs.get(name).filter(|output| !output.declared.ty.is_secret()) else {
        return Ok(());
    };
    let texts = texts(value);
    let plain: Vec<String> = given
        .iter()
        .filter(|(name, _)| component.inputs.get(*name).is_some_and(|input| !input.ty.is_secret()))
        .flat_map(|(_, value)| self::texts(value))
        .collect();
    let inputs = given.iter().filter_map(|(name, value)| Some(("input", name, &component.inputs.get(name)?.ty, value)));
    let outputs = written
        .iter()
        .filter_map(|(name, value)| Some(("output", name, &component.outputs.get(name)?.declared.ty, value)));
    for (what, secret, ty, value) in inputs.chain(outputs) {
        let mut found = Vec::new();
        secrets(ty, value, &mut found);
        let is_telling =
            |text: &&String| text.len() >= SHORT && !plain.iter().any(|plain| plain.contains(text.as_str()));
        let is_there = |secret: &String| {
            let mask = Mask::of_whole(secret);
            texts.iter().any(|text| mask.finds(text))
        };
        if found.iter().filter(is_telling).any(is_there) {
            let ty = &output.declared.ty;
            return Err(Broken::new(
                Kind::Type,
                format!(
                    "its output `{name}`, {ty}, holds the secret {what} `{secret}`, and would be published \
                     unencrypted: declare it as `Secret<...>`, or leave the secret out"
                ),
            ));
        }
    }
    Ok(())
}

/// What of `value` is secret by its type, text by text.
fn secrets(ty: &Type, value: &Value, found: &mut Vec<String>) {
    match (ty, value) {
        (Type::Hidden(_), value) => found.extend(texts(value).iter().map(|text| text.trim().to_owned())),
        (Type::List(item), Value::List(values)) => values.iter().for_each(|value| secrets(item, value, found)),
        (Type::Map(item), Value::Map(values)) => values.values().for_each(|value| secrets(item, value, found)),
        (Type::Struct(fields), Value::Map(values)) => {
            for (name, ty) in fields {
                if let Some(value) = values.get(name) {
                    secrets(ty, value, found);
                }
            }
        }
        _ => {}
    }
}

/// All texts and numbers in `value`.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Boolean(_) => Vec::new(),
        Value::List(values) => values.iter().flat_map(texts).collect(),
        Value::Map(values) => {
            values.iter().flat_map(|(name, value)| std::iter::once(name.to_string()).chain(texts(value))).collect()
        }
        Value::Str(_) | Value::Integer(_) | Value::Float(_) => vec![values::text(value)],
    }
}
