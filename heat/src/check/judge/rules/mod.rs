//! What types ask of their properties together: `validate` of their classes.
//!
//! Each rule says what is wrong in words, and how to mend it. A property that cannot be read at all is refused too: in a
//! nested stack, where values are not judged, only these rules read them.

mod compute;
mod heat;
mod network;
mod other;

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::evaluate::Value;
use crate::properties::{Properties, Refused, Wrong, is_true};

use super::super::class_rule;
use super::class::{has, is_there};
use super::{Judge, Subject};

/// What is wrong, and how to mend it.
pub(super) struct Broken {
    pub(super) what: String,
    pub(super) help: &'static str,
}

/// What a rule finds.
pub(super) type Ruled = Result<Option<Broken>, Refused>;

#[expect(clippy::unnecessary_wraps, reason = "it is what rules return")]
pub(super) fn broken(what: impl Into<String>, help: &'static str) -> Ruled {
    Ok(Some(Broken { what: what.into(), help }))
}

pub(super) fn refused(what: &str, at: &Source, help: &str) -> Diagnostic {
    class_rule::finding(what, at, help)
}

/// Two properties that exclude each other.
fn not_both(subject: Subject<'_>, one: &str, other: &str) -> Ruled {
    if subject.is(one)? && subject.is(other)? {
        return broken(format!("`{one}` and `{other}` exclude each other"), "take one of them away");
    }
    Ok(None)
}

/// One of some properties must be there.
fn one_of(subject: Subject<'_>, keys: &[&str]) -> Ruled {
    for key in keys {
        if subject.has(key)? {
            return Ok(None);
        }
    }
    let names: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
    broken(format!("one of {} must be there", names.join(", ")), "give one of them")
}

/// The first rule that is broken.
macro_rules! first {
    ($($rule:expr),+ $(,)?) => {{
        $(
            let ruled: Ruled = $rule;
            if let Some(found) = ruled? {
                return Ok(Some(found));
            }
        )+
        Ok(None)
    }};
}
use first;

impl Judge<'_, '_> {
    pub(super) fn rules(&mut self, subject: Subject<'_>) {
        let ruled = self.update_policy(subject).and_then(|()| self.by_class(subject));
        let at = || self.at(None, subject);
        let called = self.called(subject);
        let finding = match ruled {
            Ok(None) => return,
            Ok(Some(Broken { what, help })) => refused(&format!("{called}: {what}"), &at(), help),
            Err(Refused) => refused(
                &format!("{called} has a property that cannot be read, or lacks one that its type asks for"),
                &at(),
                "look at its properties one by one",
            ),
        };
        self.found.push(finding);
    }

    fn by_class(&self, subject: Subject<'_>) -> Ruled {
        let name = subject.resource.class.name();
        match name.split("::").nth(1) {
            Some("Nova" | "Cinder" | "EC2" | "AutoScaling") => self.compute(subject, name),
            Some("Neutron" | "Octavia") => network::rule(subject, name),
            Some("Heat") => self.heat(subject, name),
            _ => other::rule(subject, name),
        }
    }

    fn update_policy(&mut self, subject: Subject<'_>) -> Result<(), Refused> {
        let node = self.stack.loaded.template.resources.get(subject.name);
        let Some(node) = node.and_then(|resource| resource.update_policy.clone()).filter(|_| self.around.is_none())
        else {
            return Ok(());
        };
        let scope = crate::evaluate::Scope::new(self.stack.loaded, crate::evaluate::Mode::Validation);
        let given = crate::stack::given(&scope, Some(&node));
        let schema = heat::update_policy(subject.resource.class.name());
        let wrongs = Properties { schema: &schema, rules: &[], given: &given }.wrongs(true);
        let fine = wrongs.is_empty();
        for wrong in wrongs {
            self.wrong(subject, Wrong { path: format!("update_policy.{}", wrong.path), ..wrong });
        }
        if fine { Ok(()) } else { Err(Refused).or(Ok(())) }
    }
}

/// Whether any of the maps has something under the key.
fn any_has(maps: &[indexmap::IndexMap<String, Value>], key: &str) -> bool {
    maps.iter().any(|map| has(map, key))
}

/// What is true among the values under keys.
fn true_of(items: &indexmap::IndexMap<String, Value>, key: &str) -> bool {
    items.get(key).is_some_and(is_true)
}

/// How many of the values are there.
fn count(items: &indexmap::IndexMap<String, Value>, keys: &[&str]) -> usize {
    keys.iter().filter(|key| items.get(**key).is_some_and(is_there)).count()
}
