//! The events of a history.

use std::collections::BTreeMap;

use wattle_converge::{Id, Job, Outcome, Step};
use wattle_model::Name;

use crate::cloud::Made;

/// The fate of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fate {
    Done,
    Later,
    Refused,
    Broken,
    Accepted,
    Endless,
}

#[derive(Debug)]
pub(super) enum Happening {
    /// A worker starts.
    Begin {
        leader: usize,
        job: Box<Job>,
    },
    /// A request reaches the cloud. Its worker hears of it unless it does not wait any more.
    Arrive {
        leader: usize,
        job: Box<Job>,
        fate: Fate,
        is_heard: bool,
        is_double: bool,
    },
    /// A worker responds.
    Answer {
        leader: usize,
        job: Id,
        row: Id,
        outcome: Outcome,
    },
    /// The cloud carries out what it accepted.
    Vanish {
        phys: Name,
    },
    /// An observer's request, the cloud's response, and its arrival at the leader.
    Look {
        leader: usize,
    },
    Listed {
        leader: usize,
        at: u64,
    },
    Seen {
        leader: usize,
        at: u64,
        things: BTreeMap<Name, Made>,
        now: u64,
    },
    Wake {
        leader: usize,
        at: u64,
    },
    Lead,
    /// A leader's writes reach the store.
    Written {
        leader: usize,
        step: Step,
    },
    /// A leader that was requested to leave does.
    Leave {
        leader: usize,
    },
    Want,
    Calm,
}

#[derive(Debug)]
pub(super) struct Scheduled {
    pub(super) at: u64,
    pub(super) number: u64,
    pub(super) what: Happening,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}
