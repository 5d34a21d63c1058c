//! What is made without asking anybody: what is nowhere but in the engine's own facts.

use wattle_converge::{Job, Thing, What};
use wattle_model::Value;

use crate::random::{self, RANDOM};
use crate::signals::{self, HANDLE};

/// Whether things of a type are nowhere but in the engine's facts: nobody is asked to make one, or to delete it.
pub fn is_made_here(kind: &str) -> bool {
    matches!(kind, RANDOM | HANDLE)
}

/// What a job that creates or changes a thing of [such a type](is_made_here) makes: a random string, or a handle to signal. None of any
/// other job.
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
