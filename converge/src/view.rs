//! The facts that predicates use. They are computed from scratch (`naive`) or kept up to date (`index`).

use std::collections::BTreeSet;

use wattle_model::Name;

use crate::{Id, Row, Wanted};

/// The results of a name's dependencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The rows that stand for them.
    pub(crate) rows: BTreeSet<Id>,
    /// The editions of those that the name's thing shows, except for default ones.
    pub(crate) shown: BTreeSet<Id>,
}

impl Needs {
    /// Computes them, given the row that stands for each dependency.
    pub(crate) fn of<'a>(rows: impl Iterator<Item = &'a Row>, wanted: Option<&Wanted>) -> Self {
        let mut needs = Self::default();
        for row in rows {
            needs.rows.insert(row.id);
            if !row.edition.is_default() && wanted.is_some_and(|wanted| wanted.shows.contains(&row.name)) {
                needs.shown.insert(row.edition);
            }
        }
        needs
    }
}

/// The facts, and what directly follows from them. A resource is identified by its index in the table of names.
pub(crate) trait View {
    /// The number of the desired state.
    fn generation(&self) -> u64;

    /// Whether the desired state was reached once.
    fn is_complete(&self) -> bool;

    /// Whether leftovers of the desired state that was reached last are deleted as soon as their name is done.
    fn is_early(&self) -> bool;

    /// Whether the deadline of the desired state has passed.
    fn is_expired(&self) -> bool;

    /// Whether drift from the desired state is to be corrected.
    fn corrects(&self) -> bool;

    /// Whether drift was corrected so many times recently that it is no longer corrected.
    fn is_tired(&self, place: usize) -> bool;

    /// A row.
    fn row(&self, id: Id) -> &Row;

    /// The rows of a name, oldest first.
    fn rows(&self, place: usize) -> impl Iterator<Item = &Row>;

    /// The index of a row's name.
    fn place(&self, row: &Row) -> usize;

    /// Whether the desired state is that nothing exists.
    fn asks_for_nothing(&self) -> bool;

    /// Whether the desired state contains the name.
    fn is_in_target(&self, place: usize) -> bool;

    /// Whether all dependencies of the name are done, or the desired state does not contain it.
    fn is_known(&self, place: usize) -> bool;

    /// The wanted state, once its dependencies are done, if it can be computed.
    fn wanted(&self, place: usize) -> Option<&Wanted>;

    /// The results of its dependencies.
    fn needs(&self, place: usize) -> &Needs;

    /// The row that stands for the name, or will.
    fn pick(&self, place: usize) -> Option<Id>;

    /// Whether the name is in its wanted state.
    fn is_done(&self, place: usize) -> bool;

    /// Whether every name is done.
    fn is_everything_done(&self) -> bool;

    /// Whether any row requires this one.
    fn is_required(&self, id: Id) -> bool;

    /// Whether a row stands for the desired state that was reached last.
    fn is_good(&self, id: Id) -> bool;

    /// The rows that hold this exclusively.
    fn holders(&self, exclusive: &Name) -> Vec<Id>;
}
