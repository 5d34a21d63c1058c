//! Facts derived from the rows, kept up to date. The cost of an event is proportional to what it changes.
//!
//! When a row changes, the counts of what requires it and of what each row holds are updated, and names whose answers
//! may differ are marked. Marked names are then refreshed from dependencies to dependents: when a name becomes done, or
//! is no longer done, it marks its dependents.

mod change;
mod refresh;
mod view;

pub(crate) use view::HOUR;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wattle_model::{IndexMap, Name};

use crate::view::Needs;
use crate::{Id, Wanted};

/// The facts of a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) is_in_target: bool,
    /// The names that it depends on, and the names that depend on it.
    pub(crate) requires: Vec<usize>,
    pub(crate) dependents: Vec<usize>,
    /// How many of its dependencies are not done.
    pub(crate) missing: usize,
    pub(crate) rows: BTreeSet<Id>,
    /// Once all its dependencies are done: the wanted state, without the properties, or why it cannot be computed.
    pub(crate) wanted: Option<Result<Arc<Wanted>, Name>>,
    pub(crate) needs: Needs,
    pub(crate) pick: Option<Id>,
    pub(crate) is_done: bool,
}

/// Facts derived from the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub(crate) names: IndexMap<Name, Named>,
    /// How many rows require each row.
    pub(crate) required: BTreeMap<Id, usize>,
    pub(crate) holders: BTreeMap<Name, BTreeSet<Id>>,
    /// The names that want to hold each thing exclusively.
    pub(crate) interested: BTreeMap<Name, BTreeSet<usize>>,
    /// Names whose facts may be outdated.
    pub(crate) stale: BTreeSet<usize>,
    /// Names that may need an action without a job (`free`), or with one (`due`).
    pub(crate) free: BTreeSet<usize>,
    pub(crate) due: BTreeSet<usize>,
    /// How many names the desired state contains, and how many of them are not done.
    pub(crate) asked: usize,
    pub(crate) undone: usize,
    /// Names with rows that do not stand for them.
    pub(crate) surplus: BTreeSet<usize>,
}
