//! The JSON for programs. Keys are stable, and further ones may be added.

use serde_json::{Value, json};
use wattle::diagram::State as Shown;
use wattle_agent_core::time::Time;

use crate::space::State;

use super::{Cause, Condition, Root, Tally, shown};

/// The state of a component.
pub fn json_of_condition(condition: Condition<'_>) -> Value {
    let Condition::Said(status) = condition else { return json!({ "state": "not-begun" }) };
    let mut object = json!({ "state": word(&status.state), "revision": status.revision, "since": status.since });
    if let Some(deadline) = status.deadline {
        object["deadline"] = json!(deadline);
    }
    match &status.state {
        State::Waiting(waits) => object["waiting"] = json!(waits),
        State::Failed(failure) => object["failure"] = json!(failure),
        State::Running | State::Done => {}
    }
    if !status.past.is_empty() {
        object["past"] = json!(status.past);
    }
    object
}

/// The keyword for a state. Components blocked by a failure have a field `through` with its origin.
fn word(state: &State) -> &'static str {
    match shown(state) {
        Shown::Blocked => Shown::Failed.word(),
        shown => shown.word(),
    }
}

/// The number of components by state. `blocked` are those of the `failed` that another one's failure blocks.
pub fn json_of_tally(tally: Tally) -> Value {
    let Tally { all, done, running, waiting, failed, blocked, .. } = tally;
    let failed = failed + blocked;
    json!({ "all": all, "done": done, "running": running, "waiting": waiting, "failed": failed, "blocked": blocked })
}

/// A cause that holds components up, at the time `now`.
pub fn json_of_root(root: &Root, now: Time) -> Value {
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
