//! The meaning of a template to Heat.

use std::path::Path;

use serde_json::{Value, json};
use wattle_tests::oracle::Oracle;

/// The meaning of a template according to `heat`.
pub(crate) fn of(heat: &mut Oracle, template: &Path, environment: Option<&Path>) -> Value {
    let environment: Vec<_> = environment.into_iter().collect();
    heat.ask(&json!({ "template": template, "environment": environment }))
}

/// The differences between two values: the path and both sides of each.
pub(crate) fn differences(theirs: &Value, ours: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(theirs, ours, "", &mut found);
    found
}

fn compare(theirs: &Value, ours: &Value, at: &str, found: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                let (one, other) = (one.get(key).unwrap_or(&Value::Null), other.get(key).unwrap_or(&Value::Null));
                compare(one, other, &format!("{at}/{key}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, (one, other)) in one.iter().zip(other).enumerate() {
                compare(one, other, &format!("{at}/{n}"), found);
            }
        }
        _ if theirs != ours => found.push(format!("{at}\n    theirs: {theirs}\n    ours:   {ours}")),
        _ => {}
    }
}
