//! Conditions that Heat evaluates.

use crate::author::handle::{Condition, Id};
use crate::author::naming::NameText;
use crate::author::topology::{Topology, insert};
use crate::model::{self, ElementKind, Source};

use super::argument::Argument;

impl Topology {
    /// Declares a condition. `value` is the result of [`hot::equals`](super::equals), [`hot::not`](super::not),
    /// [`hot::and`](super::and) or [`hot::or`](super::or), or a parameter, or a boolean.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn production(t: &mut Topology, stage: Parameter<String>) -> hot::Condition {
    ///     t.condition("production", hot::equals(stage, "production"))
    /// }
    /// ```
    #[track_caller]
    pub fn condition(&mut self, name: impl NameText, value: impl Argument) -> Condition {
        let condition = model::Condition::new(self.lower(&value.into_argument()), Source::caller());
        let name = self.qualified(name.as_ref());
        let model = &mut self.model;
        let index =
            insert(&mut model.conditions, &mut model.duplicates, ElementKind::Condition, name, condition, |c| &c.at);
        Condition { id: Id { topology: self.id, index } }
    }
}
