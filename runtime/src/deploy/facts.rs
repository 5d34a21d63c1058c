//! The stored form of the engine's facts: a desired state without its target, which is stored elsewhere.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_converge::{Cleanup, Id, OnFailure, Time};

/// A request.
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
    /// The drifted resources to leave as they are.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) leaves: BTreeSet<Name>,
}

/// A desired state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DesiredState {
    pub(super) generation: u64,
    /// The last wish received before it was set.
    pub(super) wish: u64,
    pub(super) asked: Asked,
}

/// A desired state that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Good {
    #[serde(rename = "goal")]
    pub(super) desired: DesiredState,
    pub(super) upto: Id,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) leftovers: BTreeSet<Id>,
}

/// A request to the leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Want {
    /// Another desired state.
    Deploy(Asked),
    /// An earlier state.
    Rollback {
        /// The number of that desired state; `None` for the last one.
        to: Option<u64>,
    },
}

/// A request with its number, which increases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    pub(super) number: u64,
    pub(super) want: Want,
}

/// The outcome of a wish, for watchers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    pub(super) wish: u64,
    pub(super) generation: u64,
    /// The differences from the desired state, as texts. Empty if there are none.
    pub(super) roots: Vec<String>,
    /// The differences from the desired state that a rollback has replaced, as texts, if there was a rollback.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) before: Vec<String>,
    /// The desired state is empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_nothing: bool,
}

/// The number of recently written rows to list. A watcher that was away for longer reads all of them.
const NAMED: usize = 256;

/// The recently written rows, so that watchers read no others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    /// The number of writes of rows, which only grows.
    count: u64,
    /// The rows written last, the latest at the end.
    rows: VecDeque<Id>,
}

impl Changes {
    /// Records writes of these rows.
    pub(super) fn note(&mut self, rows: impl IntoIterator<Item = Id>) {
        for row in rows {
            self.count += 1;
            self.rows.push_back(row);
        }
        self.rows.drain(..self.rows.len().saturating_sub(NAMED));
    }

    /// Records that other rows may have been written: their writer may have been interrupted before it recorded them.
    pub(super) fn forget(&mut self) {
        self.count += 1;
        self.rows.clear();
    }

    /// The rows written since the state `before`; `None` if they are no longer recorded.
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
