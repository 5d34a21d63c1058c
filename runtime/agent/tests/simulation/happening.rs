//! Events of the simulation, and their order.

use std::cmp::Ordering;

use wattle_agent_core::machine::{Event, RunId};
use wattle_model::Name;

use crate::net::Message;

/// An event of the simulation.
#[derive(Debug)]
pub(crate) enum Happening {
    /// A request reaches a member.
    Up {
        client: usize,
        epoch: u64,
    },
    /// A response reaches a client.
    Down {
        client: usize,
        epoch: u64,
        message: Message,
    },
    Reconnect {
        client: usize,
        epoch: u64,
    },
    Expire {
        session: usize,
        client: usize,
        epoch: u64,
    },
    Advance {
        member: usize,
        to: i64,
    },
    LeaseEnds {
        host: usize,
        incarnation: u64,
        epoch: u64,
    },
    /// The former holder of the place has had the time to notice its loss.
    Yielded {
        host: usize,
        incarnation: u64,
    },
    /// A component runs on two machines.
    Beside {
        host: usize,
        process: usize,
        other: usize,
    },
    /// A recipe should have ended.
    Overdue {
        host: usize,
        process: usize,
    },
    /// A wait should have ended.
    WaitEnds {
        host: usize,
        incarnation: u64,
        component: Name,
        wait: u64,
    },
    Timer {
        host: usize,
        incarnation: u64,
        at: u64,
    },
    Synced {
        host: usize,
        incarnation: u64,
    },
    Machine {
        host: usize,
        incarnation: u64,
        event: Box<Event>,
    },
    /// Laying out files takes until there is room.
    LayOut {
        host: usize,
        incarnation: u64,
        event: Box<Event>,
    },
    Process {
        host: usize,
        process: usize,
    },
    Kill {
        host: usize,
        incarnation: u64,
        run: RunId,
    },
    Boot {
        host: usize,
    },
    Crash {
        host: usize,
    },
    Wake {
        host: usize,
        pause: u64,
    },
    PauseExpires {
        host: usize,
        pause: u64,
    },
    Destroy {
        host: usize,
    },
    Room {
        host: usize,
    },
    Heal {
        client: usize,
    },
    Operator {
        operator: usize,
        round: u64,
    },
    Apply {
        operator: usize,
        again: bool,
    },
    /// An operator's interrupted work is completed.
    Complete {
        operator: usize,
    },
    Fault,
    Calm,
}

/// An event at a time, in milliseconds; of two at the same time, the one with the smaller number is first.
pub(crate) struct Scheduled {
    pub(crate) at: u64,
    pub(crate) number: u64,
    pub(crate) what: Happening,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}
