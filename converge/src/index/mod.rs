//! What follows from the rows, kept up to date: what an event changes costs as much as it changes.
//!
//! A row's change counts what requires it and who has what, and marks names whose answers may differ. Names are then refreshed
//! from dependencies to dependents: a name that becomes done, or ceases to be, marks its dependents.

mod change;
mod refresh;
mod view;

pub(crate) use view::HOUR;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wattle_model::{IndexMap, Name};

use crate::{Id, Wanted};

/// What is known of a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) is_in_target: bool,
    /// The names that it depends on, and those that depend on it.
    pub(crate) requires: Vec<usize>,
    pub(crate) dependents: Vec<usize>,
    /// How many of those that it depends on are not done.
    pub(crate) missing: usize,
    pub(crate) rows: BTreeSet<Id>,
    /// What is wanted, or why that cannot be said, once all that it depends on is done. Without its properties.
    pub(crate) wanted: Option<Result<Arc<Wanted>, Name>>,
    pub(crate) needs: BTreeSet<Id>,
    pub(crate) pick: Option<Id>,
    pub(crate) is_done: bool,
}

/// What follows from the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub(crate) names: IndexMap<Name, Named>,
    /// How many rows require a row.
    pub(crate) required: BTreeMap<Id, usize>,
    pub(crate) holders: BTreeMap<Name, BTreeSet<Id>>,
    /// The names that want what no two can have.
    pub(crate) interested: BTreeMap<Name, BTreeSet<usize>>,
    /// Names whose facts may not be right.
    pub(crate) stale: BTreeSet<usize>,
    /// Names for which something may have to be done without a job, or with one.
    pub(crate) free: BTreeSet<usize>,
    pub(crate) due: BTreeSet<usize>,
    /// How many names the goal asks for, and how many of them are not done.
    pub(crate) asked: usize,
    pub(crate) undone: usize,
    /// Names with rows that do not stand for them.
    pub(crate) surplus: BTreeSet<usize>,
}
