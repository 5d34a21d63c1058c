//! Values of templates and of services, and their comparison.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::{Map, Value};
use wattle_model::Name;

/// A value of a template in the form that services use.
pub(super) fn sent(value: &wattle_model::Value) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Values of a service in the form that templates use, without those that are null.
pub(super) fn reported(values: Map<String, Value>) -> BTreeMap<Name, wattle_model::Value> {
    let known = values.into_iter().filter(|(_, value)| !value.is_null());
    known.filter_map(|(key, value)| Some((key.into(), serde_json::from_value(value).ok()?))).collect()
}

/// The text at a key of a thing; empty if it has none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The items of a list; none if it is not a list.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The value of a property. A null, as Heat writes it, counts as not given.
pub(super) fn given<'v>(properties: &'v Value, key: &str) -> Option<&'v Value> {
    properties.get(key).filter(|value| !value.is_null())
}

/// The text of a property.
pub(super) fn given_text<'v>(properties: &'v Value, key: &str) -> Option<&'v str> {
    given(properties, key)?.as_str().filter(|text| !text.is_empty())
}

/// Whether `current` matches `wanted`. Keys that are not in `wanted` may have any value, the order of lists does not
/// matter, and numbers and addresses may be written differently.
pub(super) fn agrees(wanted: &Value, current: &Value) -> bool {
    match (wanted, current) {
        (Value::Object(wanted), Value::Object(current)) => {
            wanted.iter().all(|(key, wanted)| agrees(wanted, current.get(key).unwrap_or(&Value::Null)))
        }
        (Value::Array(wanted), Value::Array(current)) => wanted.len() == current.len() && matched(wanted, current),
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => text.is_empty(),
        (Value::Null, Value::Array(list)) | (Value::Array(list), Value::Null) => list.is_empty(),
        (Value::Null, Value::Object(map)) | (Value::Object(map), Value::Null) => map.is_empty(),
        (Value::String(wanted), Value::String(current)) => wanted == current || is_same_address(wanted, current),
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            number.to_string() == *text
        }
        (Value::Bool(truth), Value::String(text)) => text.to_lowercase() == truth.to_string(),
        _ => wanted == current,
    }
}

/// Whether each item of `wanted` matches a distinct item of `current`. The most specific ones choose first.
fn matched(wanted: &[Value], current: &[Value]) -> bool {
    let mut left: Vec<&Value> = current.iter().collect();
    let mut wanted: Vec<&Value> = wanted.iter().collect();
    wanted.sort_by_key(|value| std::cmp::Reverse(value.as_object().map_or(0, Map::len)));
    wanted.iter().all(|wanted| {
        let at = left.iter().position(|current| agrees(wanted, current));
        at.map(|at| left.remove(at)).is_some()
    })
}

/// Whether two addresses are equal: IP addresses with and without a prefix, and MAC addresses.
fn is_same_address(one: &str, other: &str) -> bool {
    let parsed = |text: &str| -> Option<(IpAddr, Option<u8>)> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse().ok()?)),
            None => (text, None),
        };
        Some((address.parse().ok()?, prefix))
    };
    let is_hardware = |text: &str| text.len() == 17 && text.split(':').count() == 6;
    match (parsed(one), parsed(other)) {
        (Some(one), Some(other)) => one == other,
        _ => is_hardware(one) && one.eq_ignore_ascii_case(other),
    }
}

/// Describes a difference for a message.
pub(super) fn differs(property: &str, wanted: &Value, current: &Value) -> String {
    format!("`{property}` is {}, but should be {}", shown(current), shown(wanted))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Encodes a text as a part of a URL.
pub(crate) fn encoded(text: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.as_bytes()
        .iter()
        .map(|byte| if is_plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_asked_for_may_be_anything() {
        let is = |wanted: Value, current: Value| assert!(agrees(&wanted, &current), "{wanted} {current}");
        let is_not = |wanted: Value, current: Value| assert!(!agrees(&wanted, &current), "{wanted} {current}");
        is(json!({ "a": 1 }), json!({ "a": 1, "b": 2 }));
        is_not(json!({ "a": 1, "b": 2 }), json!({ "a": 1 }));
        is(json!([1, 2]), json!([2, 1]));
        is_not(json!([1, 1]), json!([1, 2]));
        is_not(json!([1]), json!([1, 2]));
        is(json!("10"), json!(10));
        is(json!("FA:16:3E:00:00:01"), json!("fa:16:3e:00:00:01"));
        is(json!("2001:db8:0::1"), json!("2001:db8::1"));
        is(json!("2001:db8:0::/64"), json!("2001:db8::/64"));
        is_not(json!("10.0.0.0/24"), json!("10.0.0.0/25"));
        is_not(json!("Name"), json!("name"));
        is(json!(null), json!(""));
        is(json!([]), json!(null));
        is_not(json!([]), json!([1]));
    }

    #[test]
    fn those_that_ask_for_more_choose_first() {
        let wanted = json!([{ "subnet_id": "s" }, { "subnet_id": "s", "ip_address": "10.0.0.5" }]);
        let current =
            json!([{ "subnet_id": "s", "ip_address": "10.0.0.5" }, { "subnet_id": "s", "ip_address": "10.0.0.9" }]);
        assert!(agrees(&wanted, &current));
    }

    #[test]
    fn a_query_keeps_what_stands_in_it() {
        assert_eq!(encoded("wattle:a 1-2"), "wattle%3Aa%201-2");
    }
}
