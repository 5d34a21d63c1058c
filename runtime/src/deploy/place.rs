//! The paths of the facts of a stack's infrastructure in the data space. Only the operator reads or writes there.

use wattle_converge::Id;

use crate::space::Layout;

/// The paths of the facts of one stack.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: String,
}

impl Place {
    /// The paths of `stack`.
    pub(super) fn new(stack: &str) -> Self {
        Self { root: Layout::new(stack).infrastructure() }
    }

    /// The node above all of them.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// The node that the leader holds.
    pub(super) fn leader(&self) -> String {
        format!("{}/leader", self.root)
    }

    /// The number of terms so far. Beginning a term sets it, so its version identifies the term.
    pub(super) fn term(&self) -> String {
        format!("{}/term", self.root)
    }

    /// The request to the leader.
    pub(super) fn wish(&self) -> String {
        format!("{}/wish", self.root)
    }

    /// The desired state.
    pub(super) fn desired_state(&self) -> String {
        format!("{}/goal", self.root)
    }

    /// The desired states that were reached.
    pub(super) fn good(&self) -> String {
        format!("{}/good", self.root)
    }

    /// The outcomes of wishes, for watchers.
    pub(super) fn report(&self) -> String {
        format!("{}/report", self.root)
    }

    /// The things whose agents are known by keys of their own.
    pub(super) fn known(&self) -> String {
        format!("{}/known", self.root)
    }

    /// The cloud with the infrastructure.
    pub(super) fn cloud(&self) -> String {
        format!("{}/cloud", self.root)
    }

    /// The sources given to Heat, if Heat is used.
    pub(super) fn heat(&self) -> String {
        format!("{}/heat", self.root)
    }

    /// The node above the rows.
    pub(super) fn rows(&self) -> String {
        format!("{}/rows", self.root)
    }

    /// A row.
    pub(super) fn row(&self, id: Id) -> String {
        format!("{}/rows/{id}", self.root)
    }

    /// The recently written rows.
    pub(super) fn changes(&self) -> String {
        format!("{}/changes", self.root)
    }

    /// The node above the targets of desired states.
    pub(super) fn targets(&self) -> String {
        format!("{}/targets", self.root)
    }

    /// The node above the pieces of a target.
    pub(super) fn target(&self, name: &str) -> String {
        format!("{}/targets/{name}", self.root)
    }

    /// A piece of a target.
    pub(super) fn piece(&self, name: &str, number: usize) -> String {
        format!("{}/targets/{name}/{number:04}", self.root)
    }
}
