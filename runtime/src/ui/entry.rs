//! The content of an entry, for a browser: nothing of a secret, and only the beginning of a large value.

use serde_json::{Value, json};
use wattle::diagram::type_in_short;
use wattle::model::Type;

use crate::report::StackSnapshot;
use crate::space::{Content, Revision, Written};

/// The maximum number of bytes of a value that are sent.
const LARGEST: usize = 4096;

/// The declared type of the entry `SERVER/COMPONENT/OUTPUT`; `None` for an attribute of a server.
pub(super) fn declared<'p>(snapshot: &'p StackSnapshot, entry: &str) -> Option<&'p Type> {
    Some(&snapshot.plan_of(entry)?.output(entry)?.declared.ty)
}

/// The content of an entry. `of` is the revision of what its server writes now.
pub(super) fn json(held: Option<&Written>, ty: Option<&Type>, of: Option<&Revision>) -> Value {
    let is_secret = ty.is_some_and(Type::is_secret);
    let mut object = match held.map(|held| &held.content) {
        None => json!({ "state": "empty" }),
        Some(Content::Failure(failure)) => {
            let mut object = json!({ "state": "failure", "failure": failure });
            if let Some(good) = held.and_then(Written::good) {
                object["before"] = self::json(Some(good), ty, of);
            }
            object
        }
        Some(Content::Sealed(_)) => json!({ "state": "secret" }),
        // Regardless of its writer, it was declared as a secret.
        Some(Content::Value(_)) if is_secret => json!({ "state": "secret" }),
        Some(Content::Value(value)) => {
            let mut object = shown(value);
            object["state"] = json!("value");
            object
        }
    };
    if let Some(ty) = ty {
        object["type"] = json!(type_in_short(ty));
    }
    if let Some(held) = held {
        object["revision"] = json!(held.revision);
        object["former"] = json!(of.is_some_and(|of| held.of() < *of));
    }
    object
}

/// `{"value": ...}`, or `{"begins": TEXT, "size": BYTES}` for a large value.
pub(super) fn shown(value: &wattle::model::Value) -> Value {
    let text = value.to_string();
    if text.len() <= LARGEST {
        return json!({ "value": value });
    }
    let begins = &text[..text.floor_char_boundary(LARGEST)];
    json!({ "begins": begins, "size": text.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: u64) -> Revision {
        Revision { space: None, number }
    }

    fn written(content: Content) -> Written {
        Written { revision: 1, space: None, before: None, content }
    }

    #[test]
    fn nothing_of_a_secret_is_shown() {
        let hidden = Type::Hidden(Box::new(Type::STR));
        let secret = written(Content::Value("hunter2".into()));
        let result = json(Some(&secret), Some(&hidden), Some(&of(1)));
        assert_eq!(result, json!({ "state": "secret", "type": "secret string", "revision": 1, "former": false }));
        let result = json(Some(&written(Content::Sealed("c2VhbGVk".into()))), None, Some(&of(2)));
        assert_eq!(result, json!({ "state": "secret", "revision": 1, "former": true }));
    }

    #[test]
    fn a_large_value_is_cut_and_its_size_shown() {
        let text = "é".repeat(LARGEST);
        let result = shown(&text.as_str().into());
        assert_eq!(result["size"], text.len() + 2);
        assert!(result["begins"].as_str().unwrap().len() <= LARGEST);
        assert_eq!(shown(&7.into()), json!({ "value": 7 }));
    }
}
