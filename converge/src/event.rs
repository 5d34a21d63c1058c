//! What the engine is told.

use std::sync::Arc;

use wattle_model::Name;

use crate::{Desire, Id, Outcome, Target, Thing, Time};

/// A thing that was there before the stack, and is one of its resources from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// The resource.
    pub name: Name,
    /// The thing. Of what nothing can change in place, it has what is wanted.
    pub thing: Thing,
    /// How it differs from what is wanted.
    pub differs: Option<Name>,
}

/// What an observer saw of a thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// It is ready, with the properties that it was given.
    Ready(Thing),
    /// It is ready, and differs in what this says.
    Changed(Thing, Name),
    /// Something is being done to the thing of this name in the cloud.
    Busy(Name),
    /// The thing of this name in the cloud is broken, for this reason.
    Broken(Name, Name),
    /// There is no thing with this mark.
    Absent,
}

/// What the engine is told.
#[derive(Clone, Debug)]
pub enum Event {
    /// Somebody wants something, whatever is under way.
    Desire(Desire),
    /// Somebody wants what was reached before.
    Rollback {
        /// The number of the goal to go back to. Without one it is the goal that was reached last, or the one before it if that is the
        /// present one; nothing if none was reached.
        to: Option<u64>,
    },
    /// These are resources of the target, and were there before the stack. All of them are taken over, or none.
    Adopt {
        /// What says what they are to be.
        target: Arc<dyn Target>,
        /// The things.
        things: Vec<Adopted>,
    },
    /// A job came to an end. Whether it is the one that is waited for, the engine knows.
    Done {
        /// The job.
        job: Id,
        /// Its row.
        row: Id,
        /// How it went.
        outcome: Outcome,
    },
    /// An observer saw a thing, or that there is none. It sees by lists: whoever compares a list with the rows sends one event for each
    /// thing of the stack, and one for each row that none of these belongs to.
    Seen {
        /// The row that knows the thing by its name in the cloud; else the thing's mark.
        mark: Id,
        /// The resource's type.
        kind: Name,
        /// When the request was begun that showed it.
        at: Time,
        /// What it saw.
        sight: Sight,
    },
    /// Time has passed.
    Tick,
}
