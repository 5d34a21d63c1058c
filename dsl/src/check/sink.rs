//! What a check is given, and where it puts its findings.

use std::cell::OnceCell;

use crate::graph::Graph;
use crate::model::Model;

use super::diagnostic::Diagnostic;
use super::limits::Limits;

/// The model, what several checks compute of it, and the findings so far.
pub struct Sink<'c, 'm> {
    pub(crate) model: &'m Model,
    pub(crate) limits: &'m Limits,
    pub(super) shared: &'c Shared<'m>,
    pub(super) found: Vec<Diagnostic>,
}

/// What several checks need, computed once.
#[derive(Default)]
pub(super) struct Shared<'m> {
    pub(super) graph: OnceCell<Graph<'m>>,
}

impl<'c, 'm> Sink<'c, 'm> {
    /// Who waits for whom.
    pub(crate) fn graph(&self) -> &'c Graph<'m> {
        self.shared.graph.get_or_init(|| Graph::of(self.model))
    }

    /// Reports a finding.
    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }
}
