//! What happens, for watchers.

use wattle::model::Name;
use wattle_converge::{Act, Outcome, Row, Stage, Wait, What};

/// The number of resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Those that exist.
    pub there: usize,
    /// Those to which something is being done.
    pub busy: usize,
    /// Those with an error.
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

/// The state of a row: whether nothing is done to it, the state of its thing, and how it differs from what was
/// deployed.
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
        /// The resource.
        name: Name,
        /// Its type.
        kind: Name,
        /// What is done.
        what: What,
    },
    /// A job has ended.
    Outcome {
        /// The resource.
        name: Name,
        /// What was being done.
        act: Option<Act>,
        /// Its outcome.
        outcome: Outcome,
    },
    /// Something new was seen: whether nothing is done to a resource, its state, and how it differs.
    Seen {
        /// The resource.
        name: Name,
        /// Its former state.
        was: Look,
        /// Its present state; `None` if it is gone.
        is: Option<Look>,
    },
    /// Why it was impossible to see what exists.
    Blind(String),
    /// Nothing has changed for a long time: what this waits for.
    Stalled(Vec<Wait>),
    /// The number of resources.
    Count(Count),
    /// Nothing is under way any longer.
    Settled {
        /// The goal's number.
        generation: u64,
        /// What differs from it.
        roots: Vec<Wait>,
    },
}
