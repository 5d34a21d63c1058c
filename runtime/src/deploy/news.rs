//! What happens, for watchers.

use wattle::model::Name;
use wattle_converge::{Act, Outcome, Row, Stage, Wait, What};

/// How many resources there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// That are there.
    pub there: usize,
    /// To which something is being done.
    pub busy: usize,
    /// With which something went wrong.
    pub failed: usize,
}

impl Count {
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut count = Self::default();
        for row in rows {
            count.busy += usize::from(!row.is_idle());
            count.there += usize::from(row.is_idle() && row.stage == Stage::Sound);
            count.failed += usize::from(row.failed.is_some());
        }
        count
    }
}

/// How a row is: whether nothing is done to it, how its thing is, and how it differs from what was deployed.
pub type Look = (bool, Stage, Option<Name>);

pub(super) fn look_of(row: &Row) -> Look {
    (row.is_idle(), row.stage, row.drift.clone())
}

/// What happens, for watchers.
#[derive(Clone, Debug)]
pub enum News {
    /// Another process leads, and this one watches.
    Elsewhere,
    /// Something is begun.
    Begins {
        /// Of which resource.
        name: Name,
        /// Its type.
        kind: Name,
        /// What.
        what: What,
    },
    /// A job came to an end.
    Outcome {
        /// Of which resource.
        name: Name,
        /// What was being done.
        act: Option<Act>,
        /// How it went.
        outcome: Outcome,
    },
    /// Something was seen that was not known: whether nothing is done to a resource, how it is, and how it differs.
    Seen {
        /// Which resource.
        name: Name,
        /// How it was.
        was: Look,
        /// How it is; nothing if it is gone.
        is: Option<Look>,
    },
    /// It could not be seen what is there: why.
    Blind(String),
    /// Nothing has changed for a long time: what is waited for.
    Stalled(Vec<Wait>),
    /// How many resources there are.
    Count(Count),
    /// Nothing is under way any longer.
    Settled {
        /// The goal's number.
        generation: u64,
        /// What is not as it asks for.
        roots: Vec<Wait>,
    },
}
