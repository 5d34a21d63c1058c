//! Values in reasons: short, and without secrets.

use crate::check::is_for_secrets;
use crate::model::Value;

use super::expression::{SECRET, call};

/// Characters of a value that are shown.
const SHOWN: usize = 48;

/// What a value was and what it becomes, as a reason tells it. `name` is that of the property or input.
pub(super) fn pair(name: &str, before: &Value, after: &Value) -> (Option<String>, Option<String>) {
    if is_secret(name, before) || is_secret(name, after) {
        let word = |value: &Value| (*value != Value::Null).then(|| "(secret)".to_owned());
        return (word(before), word(after));
    }
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::Str(text) => Some(text.replace('\n', "\\n").replace(|c: char| c.is_control(), "?")),
        value => Some(value.to_string()),
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

/// What of `text` begins at the character `from`.
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
                call(value).is_some_and(|(name, _)| name == SECRET)
                    || items.iter().any(|(key, item)| is_for_secrets(key) || has(item))
            }
            _ => false,
        }
    }
    // What a server is told is readable in the template, and long; but passwords stand in it.
    is_for_secrets(name) || has(value)
}
