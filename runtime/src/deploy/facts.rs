//! Which of the engine's facts are stored, and in which form: a goal without what it requests, which is stored
//! elsewhere.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_converge::{Cleanup, Id, OnFailure, Time};

/// What is requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// The name under which the target is stored; without one, nothing should be left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deadline: Option<Time>,
    #[serde(default)]
    pub(super) on_failure: OnFailure,
    #[serde(default)]
    pub(super) cleanup: Cleanup,
    #[serde(default)]
    pub(super) corrects: bool,
    /// What has drifted, and is left as it is.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) leaves: BTreeSet<Name>,
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Goal {
    pub(super) generation: u64,
    /// The last wish that had been heard when it was set.
    pub(super) wish: u64,
    pub(super) asked: Asked,
}

/// A goal that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Good {
    pub(super) goal: Goal,
    pub(super) upto: Id,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) leftovers: BTreeSet<Id>,
}

/// What the leader is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Want {
    /// Another goal.
    Deploy(Asked),
    /// What was reached before.
    Rollback {
        /// The number of that goal; `None` for the last one.
        to: Option<u64>,
    },
}

/// What is wanted, with its number: each is greater than those before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    pub(super) number: u64,
    pub(super) want: Want,
}

/// How a wish ended, for watchers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    pub(super) wish: u64,
    pub(super) generation: u64,
    /// What differs from the goal, each in words. Empty if nothing does.
    pub(super) roots: Vec<String>,
    /// What differed from the goal, each in words, if this goal is the one of a rollback.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) before: Vec<String>,
    /// The goal requests nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_nothing: bool,
}

/// How many of the rows that were written last are named. A watcher that was away for longer reads all of them.
const NAMED: usize = 256;

/// Which rows were written, so that watchers read no others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    /// The number of writes of rows. It only grows.
    count: u64,
    /// The rows that were written last, the latest at the end.
    rows: VecDeque<Id>,
}

impl Changes {
    /// Notes that these rows are written.
    pub(super) fn note(&mut self, rows: impl IntoIterator<Item = Id>) {
        for row in rows {
            self.count += 1;
            self.rows.push_back(row);
        }
        self.rows.drain(..self.rows.len().saturating_sub(NAMED));
    }

    /// Notes that other rows may have been written: their writer may have been interrupted before it named them here.
    pub(super) fn forget(&mut self) {
        self.count += 1;
        self.rows.clear();
    }

    /// The rows that were written since it was as `before`; `None` if they are no longer known.
    pub(super) fn since(&self, before: &Self) -> Option<BTreeSet<Id>> {
        let written = usize::try_from(self.count.checked_sub(before.count)?).ok()?;
        let first = self.rows.len().checked_sub(written)?;
        Some(self.rows.iter().skip(first).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Id {
        Id { term: 1, number }
    }

    #[test]
    fn what_was_written_since_is_known_for_a_while() {
        let mut changes = Changes::default();
        changes.note([id(1), id(2)]);
        let before = changes.clone();
        assert_eq!(changes.since(&before), Some(BTreeSet::new()));
        changes.note([id(2), id(3), id(2)]);
        assert_eq!(changes.since(&before), Some(BTreeSet::from([id(2), id(3)])));
        assert_eq!(before.since(&changes), None, "somebody has put back what there was");
        changes.note((0..NAMED as u64 - 3).map(id));
        assert!(changes.since(&before).is_some());
        changes.note([id(9)]);
        assert_eq!(changes.since(&before), None);
        let before = changes.clone();
        changes.forget();
        assert_eq!(changes.since(&before), None);
    }
}
