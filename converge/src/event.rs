//! The engine's input.

use std::sync::Arc;

use wattle_model::Name;

use crate::{Desire, Id, Outcome, Target, Thing, Time};

/// A thing that existed before the stack, and becomes one of its resources.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// The resource.
    pub name: Name,
    /// The thing. Its properties that cannot be changed in place have their wanted values.
    pub thing: Thing,
    /// Its difference from the wanted state.
    pub differs: Option<Name>,
}

/// An observation of a thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// It is ready, with the properties it was given.
    Ready(Thing),
    /// It is ready, but differs as described.
    Changed(Thing, Name),
    /// An action on the thing is in progress. The value is its name in the cloud.
    Busy(Name),
    /// The thing is broken. The values are its name in the cloud and the reason.
    Broken(Name, Name),
    /// There is no thing with this mark.
    Absent,
}

/// An input of the engine.
#[derive(Clone, Debug)]
pub enum Event {
    /// There is a new desired state, whatever is in progress.
    Desire(Desire),
    /// The stack is to return to an earlier desired state that was reached.
    Rollback {
        /// The number of the desired state to roll back to. Without a number, it is the one that was reached last, or
        /// the one before it if the last one is the present one. If there is none, everything is deleted.
        to: Option<u64>,
    },
    /// These resources of the target existed before the stack. Either all of them are adopted, or none.
    Adopt {
        /// The target that defines their wanted state.
        target: Arc<dyn Target>,
        /// The things.
        things: Vec<Adopted>,
    },
    /// A job has ended. The engine knows whether it is the awaited one.
    Done {
        /// The job.
        job: Id,
        /// Its row.
        row: Id,
        /// Its outcome.
        outcome: Outcome,
    },
    /// An observer found a thing, or none. Observers work from lists: after comparing a list with the rows, an observer
    /// sends one event for each thing of the stack, and one for each row without a thing.
    Seen {
        /// The row that knows the thing by its name in the cloud; otherwise, the thing's mark.
        mark: Id,
        /// The resource's type.
        kind: Name,
        /// The start of the request that showed it.
        at: Time,
        /// The observation.
        sight: Sight,
    },
    /// Time has passed.
    Tick,
}
