//! Requirements of resource classes on combinations of properties.
//!
//! These rules also reject a property that cannot be read at all: in a nested stack, where values are not judged, only they
//! read properties.

use wattle_model::PropertyType;

use crate::Loaded;
use crate::evaluate::{Mode, Scope, Value};
use crate::parameters::PSEUDO;
use crate::properties::{Properties, Refused, What, Wrong};
use crate::resource::{Broken, Resource, Subject, given};
use crate::stack::Stack;

use super::super::class_rule;
use super::Judge;

impl Judge<'_, '_> {
    pub(super) fn rules(&mut self, subject: Subject<'_>, named: Option<&Stack<'_>>) {
        self.update_policy(subject);
        let Some(broken) = subject.broken().next() else { return };
        if named.is_some_and(|named| is_met_by_a_name(subject, named)) {
            return;
        }
        let called = self.called(subject);
        let (what, help) = match broken {
            Ok(Broken { what, help }) => (format!("{called}: {what}"), help),
            // Where values are judged, a failing call is reported separately, as an error.
            Err(Refused) if self.strict && subject.resource.given.values().any(|given| given.value.is_none()) => return,
            Err(Refused) => (
                format!("{called} has a property that cannot be read, or lacks one that its type requires"),
                "check its properties one by one",
            ),
        };
        let at = self.at(None, subject);
        self.found.push(class_rule::diagnostic(&what, &at, help));
    }

    /// Violations that do not depend on the stack's name, in properties that contain its name or id. Only the presence of
    /// properties matters, not their values.
    pub(super) fn whatever_its_name(&self, subject: Subject<'_>, named: &Stack<'_>) -> Vec<Wrong> {
        let Some(other) = named.resources.get(subject.name).filter(|_| is_open(subject.resource)) else {
            return Vec::new();
        };
        let is_sure = |wrong: &Wrong| {
            matches!(
                wrong.what,
                What::Both(..)
                    | What::Unknown { .. }
                    | What::Missing(_)
                    | What::Kind(PropertyType::Map | PropertyType::List, _)
            )
        };
        other.properties().wrongs(self.strict).into_iter().filter(is_sure).collect()
    }

    fn update_policy(&mut self, subject: Subject<'_>) {
        let written = subject.template.and_then(|loaded| loaded.template.resources.get(subject.name));
        let Some(node) = written.and_then(|resource| resource.update_policy.as_ref()) else { return };
        let given = given(&Scope::new(self.stack.loaded, Mode::Validation), Some(node));
        let schema = (subject.resource.class().update_policy)();
        for wrong in (Properties { schema: &schema, translations: &[], given: &given }).wrongs(true) {
            self.wrong(subject, &subject.resource.ty, Wrong { path: format!("update_policy.{}", wrong.path), ..wrong });
        }
    }
}

/// Whether a rule is violated only because the stack's name or id is not known yet: they will have some value, but an
/// unknown value reads as null.
fn is_met_by_a_name(subject: Subject<'_>, named: &Stack<'_>) -> bool {
    let other = named.resources.get(subject.name);
    other.is_some_and(|other| named.subject(subject.name, other).broken().next().is_none())
}

/// Whether any of its properties is not known yet.
pub(super) fn is_open(resource: &Resource) -> bool {
    let mut values = resource.given.values().filter_map(|property| property.value.as_ref());
    values.any(|value| !value.is_known())
}

/// The template of a stack that has a name and an id. `None` if no resource could need them.
pub(super) fn named(stack: &Stack<'_>) -> Option<Loaded> {
    if stack.of_members || !stack.resources.values().any(is_open) {
        return None;
    }
    let mut named = stack.loaded.clone();
    for name in PSEUDO {
        if let Some(valued) = named.parameters.values.get_mut(name).filter(|valued| valued.value == Value::Unknown) {
            // No text in a template can contain this character.
            valued.value = Value::Text(format!("\u{0}{name}"));
        }
    }
    Some(named)
}
