//! The engine's input.

use std::sync::Arc;

use wattle_model::Name;

use crate::{Desire, Id, Outcome, Target, Thing, Time};

/// A thing that existed before the stack, and is one of its resources from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// The resource.
    pub name: Name,
    /// The thing. Its properties that cannot be changed in place are as wanted.
    pub thing: Thing,
    /// How it differs from what is wanted.
    pub differs: Option<Name>,
}

/// What an observer saw of a thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// It is ready, with the properties it was given.
    Ready(Thing),
    /// It is ready, but differs as described.
    Changed(Thing, Name),
    /// Something is being done to the thing. The value is its name in the cloud.
    Busy(Name),
    /// The thing is broken. The values are its name in the cloud and the reason.
    Broken(Name, Name),
    /// There is no thing with this mark.
    Absent,
}

/// An input of the engine.
#[derive(Clone, Debug)]
pub enum Event {
    /// A new goal is wanted, whatever is under way.
    Desire(Desire),
    /// An earlier goal that was reached is wanted again.
    Rollback {
        /// The number of the goal to go back to. Without a number, it is the goal that was reached last, or the one before it if
        /// the last one is the present goal. If no goal was reached, nothing happens.
        to: Option<u64>,
    },
    /// These resources of the target existed before the stack. Either all of them are taken over, or none.
    Adopt {
        /// The target that says what they are to be.
        target: Arc<dyn Target>,
        /// The things.
        things: Vec<Adopted>,
    },
    /// A job has ended. The engine knows whether it is the one that it waits for.
    Done {
        /// The job.
        job: Id,
        /// Its row.
        row: Id,
        /// How it went.
        outcome: Outcome,
    },
    /// An observer saw a thing, or that there is none. Observers work from lists: after comparing a list with the rows, an
    /// observer sends one event for each thing of the stack, and one for each row that no thing belongs to.
    Seen {
        /// The row that knows the thing by its name in the cloud. If there is none, the thing's mark.
        mark: Id,
        /// The resource's type.
        kind: Name,
        /// When the request that showed it was begun.
        at: Time,
        /// What it saw.
        sight: Sight,
    },
    /// Time has passed.
    Tick,
}
