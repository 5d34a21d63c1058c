//! Values in reasons: short, and without secrets.

use wattle_heat::evaluate::{Open, Value};

use crate::check::is_for_secrets;
use crate::model::Value as Constant;

/// The most characters of a value that are shown.
const SHOWN: usize = 48;

/// The old and the new value, as worded in a reason. `name` is the name of the property or input.
pub(super) fn pair(name: &str, before: &Value, after: &Value) -> (Option<String>, Option<String>) {
    if is_secret(name, before) || is_secret(name, after) {
        let word = |value: &Value| (*value != Value::Null).then(|| "(secret)".to_owned());
        return (word(before), word(after));
    }
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::Text(text) => Some(text.replace('\n', "\\n").replace(|c: char| c.is_control(), "?")),
        value => Some(given(value.to_model()).to_string()),
    };
    let (before, after) = (text(before), text(after));
    let common = match (&before, &after) {
        (Some(before), Some(after)) if before.chars().count().max(after.chars().count()) > SHOWN => {
            before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count().saturating_sub(8)
        }
        _ => 0,
    };
    (before.map(|text| cut(&text, common)), after.map(|text| cut(&text, common)))
}

/// The value without the null entries of its maps: keys that are in Heat's schemas and are not set.
fn given(value: Constant) -> Constant {
    match value {
        Constant::List(items) => Constant::List(items.into_iter().map(given).collect()),
        Constant::Map(items) => {
            let items = items.into_iter().filter(|(_, item)| *item != Constant::Null);
            Constant::Map(items.map(|(key, item)| (key, given(item))).collect())
        }
        other => other,
    }
}

/// The part of `text` that begins at the character `from`.
fn cut(text: &str, from: usize) -> String {
    let mut shown: String = text.chars().skip(from).take(SHOWN).collect();
    if from > 0 {
        shown.insert(0, '…');
    }
    if text.chars().count() > from + SHOWN {
        shown.push('…');
    }
    shown
}

fn is_secret(name: &str, value: &Value) -> bool {
    fn has(value: &Value) -> bool {
        match value {
            Value::List(items) => items.iter().any(has),
            Value::Map(items) => {
                items.iter().any(|(key, item)| is_for_secrets(key) && *item != Value::Null || has(item))
            }
            Value::Open(open) => match &**open {
                Open::Call(_, inner) | Open::Read(_, inner) => has(inner),
                Open::Secret(..) => true,
            },
            _ => false,
        }
    }
    // User data is readable in the template, and long; but it contains passwords.
    is_for_secrets(name) || has(value)
}
