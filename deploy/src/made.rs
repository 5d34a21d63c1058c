//! Resources that need no service, because they exist only in the engine's own facts.

use wattle_converge::{Job, Thing, What};
use wattle_model::Value;

use crate::random::{self, RANDOM};
use crate::signals::{self, HANDLE};

/// Whether things of a type exist only in the engine's facts, so that no service is requested to create or delete one.
pub fn is_made_here(kind: &str) -> bool {
    matches!(kind, RANDOM | HANDLE)
}

/// The thing that a job yields when it creates or changes one of [such a type](is_made_here): a random string, or a
/// handle to signal. `None` for any other job.
pub fn made_here(job: &Job) -> Option<Thing> {
    let (What::Create { properties: Value::Map(properties) } | What::Update { properties: Value::Map(properties) }) =
        &job.what
    else {
        return None;
    };
    match &*job.kind {
        RANDOM => random::string(properties),
        HANDLE => signals::handle(job, properties),
        _ => None,
    }
}
