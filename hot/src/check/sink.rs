//! What a check is given, and where it puts its findings.

use wattle::check::Diagnostic;
use wattle::model::Source;

use crate::Loaded;
use crate::template::Template;
use crate::yaml::Span;

/// The template, what several checks compute of it, and the findings so far.
pub struct Sink<'c> {
    /// What is judged.
    pub(super) loaded: &'c Loaded,
    pub(super) found: Vec<Diagnostic>,
}

impl<'c> Sink<'c> {
    /// The template.
    pub(super) fn template(&self) -> &'c Template {
        &self.loaded.template
    }

    /// A place in the template.
    pub(super) fn at(&self, span: Span) -> Source {
        self.loaded.template.at(span)
    }

    /// Reports a finding.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }
}
