//! For programs. Keys stay as they are; further ones may be added.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::space::State;

use super::{Cause, Condition, Root};

/// How a component is doing.
pub fn json_of_condition(condition: Condition<'_>) -> Value {
    let Condition::Said(status) = condition else { return json!({ "state": "not-begun" }) };
    let (state, waits, failure) = match &status.state {
        State::Waiting(waits) => ("waiting", Some(waits), None),
        State::Running => ("running", None, None),
        State::Done => ("done", None, None),
        State::Failed(failure) => ("failed", None, Some(failure)),
    };
    let mut object = json!({ "state": state, "revision": status.revision, "since": status.since });
    if let Some(deadline) = status.deadline {
        object["deadline"] = json!(deadline);
    }
    if let Some(waits) = waits {
        object["waiting"] = json!(waits);
    }
    if let Some(failure) = failure {
        object["failure"] = json!(failure);
    }
    if !status.past.is_empty() {
        object["past"] = json!(status.past);
    }
    object
}

/// What holds components up, the time being `now`.
pub fn json_of_root(root: &Root, now: Timestamp) -> Value {
    let mut object = json!({ "cause": root.cause.word(), "sentence": root.cause.sentence(now), "holds": root.holds });
    match &root.cause {
        Cause::Failed(failure) | Cause::LeftOver(failure) => object["failure"] = json!(failure),
        Cause::NoAgent { server, .. } => object["server"] = json!(server),
        Cause::Attribute { entry } => object["entry"] = json!(entry),
        Cause::Elsewhere { what, .. } => object["entry"] = json!(what),
        Cause::Circle { components } => object["components"] = json!(components),
        _ => {}
    }
    if let Some(component) = root.cause.component() {
        object["component"] = json!(component);
    }
    object
}
