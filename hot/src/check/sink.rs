//! What a check is given, and where it puts its findings.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::sync::LazyLock;

use wattle::check::Diagnostic;
use wattle::model::Source;
use wattle::names::nearest;

use crate::Loaded;
use crate::environment::Implementation;
use crate::evaluate::{Mode, Scope};
use crate::model;
use crate::template::{Resource, Template};
use crate::types::is_placeholder;
use crate::yaml::Span;

use super::faults::{self, Found};
use super::judge;

/// The most names that are looked at for suggestions.
const SUGGESTIONS: usize = 1_000_000;

/// The template, what several checks compute of it, and the findings so far.
pub struct Sink<'c> {
    /// What is judged.
    pub(super) loaded: &'c Loaded,
    /// Whether only the declarations of its parameters are read: it is sent along, and nothing has been made of it yet.
    pub(super) is_sent: bool,
    /// Its values, as Heat sees them when it validates.
    pub(super) scope: Scope<'c>,
    faults: OnceCell<Vec<Found>>,
    /// How many names may still be looked at for suggestions.
    suggestions: Cell<usize>,
    resources: OnceCell<Vec<Diagnostic>>,
    pub(super) found: Vec<Diagnostic>,
    model: OnceCell<model::Read>,
}

impl<'c> Sink<'c> {
    pub(super) fn new(loaded: &'c Loaded) -> Self {
        Self {
            loaded,
            is_sent: false,
            scope: Scope::new(loaded, Mode::Validation),
            faults: OnceCell::new(),
            suggestions: Cell::new(SUGGESTIONS),
            resources: OnceCell::new(),
            found: Vec::new(),
            model: OnceCell::new(),
        }
    }

    /// The model that the template is.
    pub(super) fn model(&self) -> &model::Read {
        self.model.get_or_init(|| model::read(self.loaded))
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
        let ty = resource.kind().and_then(|ty| self.loaded.implementation(name, ty, &is_type));
        matches!(ty, Some(Implementation::Type(ty)) if is_placeholder(&ty))
    }

    /// Whether the resource is there by its condition; not, too, when that is not known.
    pub(super) fn is_there(&self, resource: &Resource) -> bool {
        faults::is_there(&self.scope, resource)
    }

    /// Reports what is wrong with resources by the check `code`.
    pub(super) fn push_resource_findings(&mut self, code: &str) {
        let all = self.resources.get_or_init(|| judge::all(self.loaded));
        self.found.extend(all.iter().filter(|finding| finding.code == code).cloned());
    }

    /// The candidate most like `name`, if one looks like it. In a template with very many names that there are not, only
    /// the first ones get a suggestion: each costs a look at all candidates.
    pub(super) fn nearest<'n>(&self, name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        let candidates: Vec<_> = candidates.collect();
        let left = self.suggestions.get().checked_sub(candidates.len())?;
        self.suggestions.set(left);
        nearest(name, candidates)
    }

    /// Reports a finding.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }
}

/// Whether Heat has a type of this name itself.
pub(crate) fn is_type(ty: &str) -> bool {
    static TYPES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| wattle_catalog::types().collect());
    TYPES.contains(ty)
}
