//! What the classes of resources ask of their properties together.
//!
//! A property that cannot be read at all is refused too: in a nested stack, where values are not judged, only these rules
//! read them.

use wattle_model::PropertyType;

use crate::Loaded;
use crate::evaluate::{Mode, Scope, Value};
use crate::parameters::PSEUDO;
use crate::properties::{Properties, Refused, What, Wrong};
use crate::resource::{Broken, Resource, Subject, given};

use super::super::class_rule;
use super::Judge;

impl Judge<'_, '_> {
    pub(super) fn rules(&mut self, subject: Subject<'_>) {
        self.update_policy(subject);
        let Some(broken) = subject.broken().next() else { return };
        if self.is_met_by_a_name(subject) {
            return;
        }
        let called = self.called(subject);
        let (what, help) = match broken {
            Ok(Broken { what, help }) => (format!("{called}: {what}"), help),
            Err(Refused) => (
                format!("{called} has a property that cannot be read, or lacks one that its type asks for"),
                "look at its properties one by one",
            ),
        };
        let at = self.at(None, subject);
        self.found.push(class_rule::diagnostic(&what, &at, help));
    }

    /// Whether a rule is broken only because nobody knows yet what the stack is called, or its id: that is something, where what is
    /// not known reads as nothing.
    fn is_met_by_a_name(&self, subject: Subject<'_>) -> bool {
        let named = self.named(subject.all.values());
        named.is_some_and(|named| {
            let stack = self.stack.again(self.world, &named);
            let other = stack.resources.get(subject.name);
            other.is_some_and(|other| stack.subject(subject.name, other).broken().next().is_none())
        })
    }

    /// What is wrong whatever the stack is called, of properties in which its name or its id is: what they are given and what not, but
    /// no value.
    pub(super) fn whatever_its_name(&self, subject: Subject<'_>) -> Vec<Wrong> {
        let Subject { name, resource, .. } = subject;
        let Some(named) = self.named([resource]) else { return Vec::new() };
        let stack = self.stack.again(self.world, &named);
        let wrongs = stack.resources.get(name).map(|other| other.properties().wrongs(self.strict)).unwrap_or_default();
        let is_sure = |wrong: &Wrong| {
            matches!(
                wrong.what,
                What::Both(..)
                    | What::Unknown { .. }
                    | What::Missing(_)
                    | What::Kind(PropertyType::Map | PropertyType::List, _)
            )
        };
        wrongs.into_iter().filter(is_sure).collect()
    }

    /// The template where the stack has a name and an id; none if none of these resources could need them.
    fn named<'r>(&self, resources: impl IntoIterator<Item = &'r Resource>) -> Option<Loaded> {
        let is_open = |resource: &Resource| {
            resource.given.values().filter_map(|property| property.value.as_ref()).any(|value| !value.is_known())
        };
        if self.stack.of_members || !resources.into_iter().any(is_open) {
            return None;
        }
        let mut named = self.stack.loaded.clone();
        for name in PSEUDO {
            if let Some(valued) = named.parameters.values.get_mut(name).filter(|valued| valued.value == Value::Unknown)
            {
                // No text of a template has this character.
                valued.value = Value::Text(format!("\u{0}{name}"));
            }
        }
        Some(named)
    }

    fn update_policy(&mut self, subject: Subject<'_>) {
        let written = subject.template.and_then(|loaded| loaded.template.resources.get(subject.name));
        let Some(node) = written.and_then(|resource| resource.update_policy.as_ref()) else { return };
        let given = given(&Scope::new(self.stack.loaded, Mode::Validation), Some(node));
        let schema = (subject.resource.class().update_policy)();
        for wrong in (Properties { schema: &schema, translations: &[], given: &given }).wrongs(true) {
            self.wrong(subject, Wrong { path: format!("update_policy.{}", wrong.path), ..wrong });
        }
    }
}
