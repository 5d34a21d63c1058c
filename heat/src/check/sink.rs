//! What a check is given, and where it puts its diagnostics.

use std::cell::{Cell, OnceCell};

use wattle_model::Diagnostic;
use wattle_model::Source;
use wattle_model::names::meant;

use crate::Loaded;
use crate::evaluate::{Mode, Scope};
use crate::template::{Resource, Template};
use crate::yaml::Span;

use crate::faults::{self, Found};

/// The most names that are looked at for suggestions.
const SUGGESTIONS: usize = 1_000_000;

/// The template, what several checks compute of it, and the diagnostics so far.
pub struct Sink<'c> {
    /// What is judged.
    pub(super) loaded: &'c Loaded,
    /// A condition that never holds, by whose name a template keeps from Heat what it does not take.
    pub(super) never: Option<&'c str>,
    /// Whether only the declarations of its parameters are read: it is sent along, and nothing has been made of it yet.
    pub(super) is_sent: bool,
    /// Its values, as Heat sees them when it validates.
    pub(super) scope: Scope<'c>,
    faults: OnceCell<Vec<Found>>,
    /// How many names may still be looked at for suggestions.
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

    /// What is wrong with functions and conditions.
    pub(super) fn faults(&self) -> Vec<Found> {
        self.faults
            .get_or_init(|| {
                faults::all(&self.scope, self.loaded.is_nested(), &|name, resource| self.is_placeholder(name, resource))
            })
            .clone()
    }

    /// Whether Heat takes the resource as it is: what is only a name validates nothing.
    pub(super) fn is_placeholder(&self, name: &str, resource: &Resource) -> bool {
        faults::is_placeholder(self.loaded, name, resource)
    }

    /// Whether the resource is there by its condition; not, too, when that is not known.
    pub(super) fn is_there(&self, resource: &Resource) -> bool {
        faults::is_there(&self.scope, resource)
    }

    /// The question that names the candidate most like `name`, if one looks like it. In a template with very many names that there are not, only
    /// the first ones get a suggestion: each costs a look at all candidates.
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
