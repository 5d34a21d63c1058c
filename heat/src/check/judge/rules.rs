//! What the classes of resources ask of their properties together.
//!
//! A property that cannot be read at all is refused too: in a nested stack, where values are not judged, only these rules
//! read them.

use crate::evaluate::{Mode, Scope};
use crate::properties::{Properties, Refused, Wrong};
use crate::resource::{Broken, Subject, given};

use super::super::class_rule;
use super::Judge;

impl Judge<'_, '_> {
    pub(super) fn rules(&mut self, subject: Subject<'_>) {
        self.update_policy(subject);
        let Some(broken) = subject.broken().next() else { return };
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
