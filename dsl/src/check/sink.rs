//! The input of a check, and the destination of its diagnostics.

use std::cell::OnceCell;

use crate::graph::Graph;
use crate::model::{Component, Declaration, Model};

use super::flow::Flows;
use super::limits::Limits;
use super::property::Judged;
use super::suggestion::Budget;
use super::uses::Uses;
use crate::model::Diagnostic;

/// The model, results that several checks share, and the diagnostics so far.
pub(super) struct Sink<'c, 'm> {
    pub(super) model: &'m Model,
    pub(super) limits: &'m Limits,
    pub(super) shared: &'c Shared<'m>,
    pub(super) found: Vec<Diagnostic>,
}

/// Results that several checks need, computed once.
#[derive(Default)]
pub(super) struct Shared<'m> {
    pub(super) graph: OnceCell<Graph<'m>>,
    pub(super) uses: OnceCell<Uses<'m>>,
    pub(super) flows: OnceCell<Flows<'m>>,
    pub(super) properties: OnceCell<Judged<'m>>,
    pub(super) budget: Budget,
}

impl<'c, 'm> Sink<'c, 'm> {
    /// The graph of dependencies.
    pub(super) fn graph(&self) -> &'c Graph<'m> {
        self.shared.graph.get_or_init(|| Graph::of(self.model))
    }

    /// The targets of the model's expressions.
    pub(super) fn uses(&self) -> &'c Uses<'m> {
        self.shared.uses.get_or_init(|| Uses::of(self.model))
    }

    /// Values of the wrong type, and flows of secrets.
    pub(super) fn flows(&self) -> &'c Flows<'m> {
        self.shared.flows.get_or_init(|| Flows::of(self.model, self.uses()))
    }

    /// Errors in properties.
    pub(super) fn properties(&self) -> &'c Judged<'m> {
        self.shared.properties.get_or_init(|| Judged::of(self.model))
    }

    /// Every component with its declaration, if that exists.
    pub(super) fn components(
        &self,
    ) -> impl Iterator<Item = (&'m str, &'m Component, Option<&'m Declaration>)> + use<'c, 'm> {
        let (model, kinds) = (self.model, &self.uses().kinds);
        let kind =
            |index: Option<usize>| index.and_then(|index| model.declarations.get_index(index)).map(|(_, kind)| kind);
        model.components.iter().zip(kinds).map(move |((key, component), index)| (&**key, component, kind(*index)))
    }

    /// Help that suggests the candidate most similar to `name`, if one is similar enough.
    pub(super) fn suggest<'a>(&self, name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
        self.shared.budget.suggest(name, candidates)
    }

    /// Reports a diagnostic.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }
}
