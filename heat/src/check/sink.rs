//! The input of a check, and the destination of its diagnostics.

use std::cell::{Cell, OnceCell};

use wattle_model::Diagnostic;
use wattle_model::Source;
use wattle_model::names::meant;

use crate::Loaded;
use crate::evaluate::{Mode, Scope};
use crate::template::{Resource, Template};
use crate::yaml::Span;

use crate::faults::{self, Found};

/// The most names that are compared to find suggestions.
const SUGGESTIONS: usize = 1_000_000;

/// The template, results that several checks share, and the diagnostics so far.
pub struct Sink<'c> {
    /// The template to check.
    pub(super) loaded: &'c Loaded,
    /// The name of a condition that never holds, with which a template hides content from Heat.
    pub(super) never: Option<&'c str>,
    /// Whether only its parameter declarations are read, because it is sent along and not used yet.
    pub(super) is_sent: bool,
    /// Its values, as Heat sees them during validation.
    pub(super) scope: Scope<'c>,
    faults: OnceCell<Vec<Found>>,
    /// How many names can still be compared to find suggestions.
    suggestions: Cell<usize>,
    pub(super) found: Vec<Diagnostic>,
}

impl<'c> Sink<'c> {
    pub(super) fn new(loaded: &'c Loaded) -> Self {
        Self::with(loaded, None)
    }

    pub(super) fn with(loaded: &'c Loaded, never: Option<&'c str>) -> Self {
        Self {
            loaded,
            never,
            is_sent: false,
            scope: Scope::new(loaded, Mode::Validation),
            faults: OnceCell::new(),
            suggestions: Cell::new(SUGGESTIONS),
            found: Vec::new(),
        }
    }

    /// The template.
    pub(super) fn template(&self) -> &'c Template {
        &self.loaded.template
    }

    /// A place in the template.
    pub(super) fn at(&self, span: Span) -> Source {
        self.loaded.template.at(span)
    }

    /// Faults in functions and conditions.
    pub(super) fn faults(&self) -> Vec<Found> {
        self.faults
            .get_or_init(|| {
                faults::all(&self.scope, self.loaded.is_nested(), &|name, resource| self.is_placeholder(name, resource))
            })
            .clone()
    }

    /// Whether Heat accepts the resource as it is: a placeholder type validates nothing.
    pub(super) fn is_placeholder(&self, name: &str, resource: &Resource) -> bool {
        faults::is_placeholder(self.loaded, name, resource)
    }

    /// Whether the condition of the resource holds. Also `false` if that is not known.
    pub(super) fn is_there(&self, resource: &Resource) -> bool {
        faults::is_there(&self.scope, resource)
    }

    /// The question whether the most similar candidate was meant, if one is similar to `name`. In a template with very many
    /// unknown names, only the first ones get a suggestion, because each is compared with all candidates.
    pub(super) fn meant<'n>(&self, name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
        let candidates: Vec<_> = candidates.collect();
        let left = self.suggestions.get().checked_sub(candidates.len())?;
        self.suggestions.set(left);
        meant(name, candidates)
    }

    /// Reports a diagnostic.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }
}
