//! What the engine is told.

use wattle_model::Name;

use crate::{Desire, Id, Outcome, Thing, Time};

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
