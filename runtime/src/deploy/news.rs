//! Events for watchers.

use wattle::model::Name;
use wattle_converge::{Act, Outcome, Row, Stage, Wait, What};

/// The number of resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The existing resources.
    pub there: usize,
    /// The resources with an action in progress.
    pub busy: usize,
    /// The resources with an error.
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

/// The state of a row: whether it is idle, the state of its thing, and its difference from the deployed state.
pub type Look = (bool, Stage, Option<Name>);

pub(super) fn look_of(row: &Row) -> Look {
    (row.is_idle(), row.stage, row.drift.clone())
}

/// An event for watchers.
#[derive(Clone, Debug)]
pub enum News {
    /// Another process leads, and this one watches.
    Elsewhere,
    /// An action has begun.
    Begins {
        /// The resource.
        name: Name,
        /// Its type.
        kind: Name,
        /// The action.
        what: What,
    },
    /// A job has ended.
    Outcome {
        /// The resource.
        name: Name,
        /// The action, if known.
        act: Option<Act>,
        /// Its outcome.
        outcome: Outcome,
    },
    /// An observed change: whether a resource is idle, its state, and its difference.
    Seen {
        /// The resource.
        name: Name,
        /// Its former state.
        was: Look,
        /// Its present state; `None` if it is gone.
        is: Option<Look>,
    },
    /// An observation failed, for this reason.
    Blind(String),
    /// Nothing has changed for a long time; the value is what is awaited.
    Stalled(Vec<Wait>),
    /// The number of resources has changed.
    Count(Count),
    /// No action is in progress any longer.
    Settled {
        /// The number of the desired state.
        generation: u64,
        /// The differences from the desired state.
        roots: Vec<Wait>,
    },
}
