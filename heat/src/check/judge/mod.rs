//! What Heat refuses about resources: a single pass over all stacks, for all checks of resources.
//!
//! A nested stack is judged as Heat does it when it validates the stack around it: names, references and the rules of a
//! resource's class are checked, but not the values of properties.

mod cycle;
mod facade;
mod reference;
mod rules;

use wattle_model::Diagnostic;
use wattle_model::Source;

use crate::Loaded;
use crate::environment::is_template;
use crate::evaluate::{Mode, Scope, Value};
use crate::limits;
use crate::parameters::Origin;
use crate::properties::{Properties, What, Wrong};
use crate::resource::{Broken, Maker, Resource, Subject};
use crate::stack::{Stack, World};
use crate::yaml::{Node, Span, Tree};

use super::{
    class_rule, deep_nesting, environment_form, illegal_name, missing_property, property_value, unknown_property,
    unknown_type,
};

/// The type of a stack that is created by another Heat.
const REMOTE: &str = "OS::Heat::Stack";

/// Everything that is wrong with the resources of a template and of its nested templates.
pub(super) fn all(loaded: &Loaded) -> Vec<Diagnostic> {
    let world = World::default();
    let mut found = Vec::new();
    let stack = Stack::root(&world, loaded);
    Judge { world: &world, stack: &stack, strict: true, around: None, found: &mut found }.all();
    found
}

/// Whether a stack can have this name after the name of another one, according to `Stack` in `heat.engine.stack`.
fn is_stack_name(name: &str) -> bool {
    name.strip_suffix('\n').unwrap_or(name).chars().all(|sign| sign.is_ascii_alphanumeric() || "_.-".contains(sign))
}

/// The judge of one stack.
struct Judge<'j, 'l> {
    world: &'j World,
    stack: &'j Stack<'l>,
    /// Whether values are judged, as they are in the root.
    strict: bool,
    /// The surrounding group, if these are members that are not written anywhere else.
    around: Option<Around>,
    found: &'j mut Vec<Diagnostic>,
}

/// A group around a stack.
#[derive(Clone)]
struct Around {
    /// The place of its member definition.
    at: Source,
    name: String,
    /// The nodes of its properties, or of those of the outer group that it is a member of.
    written: Vec<Node>,
}

impl Around {
    /// Whether clients send the template `ty` along with the stack's. They do if it is the value of a `type` key. They do
    /// not see names that a function computes or that are in a list.
    fn sends(&self, ty: &str) -> bool {
        self.written.iter().any(|node| is_type_in(node, ty))
    }
}

fn is_type_in(node: &Node, ty: &str) -> bool {
    match &*node.tree {
        Tree::List(items) => items.iter().any(|item| is_type_in(item, ty)),
        Tree::Map(pairs) => pairs.iter().any(|pair| match pair.value.tree.as_text() {
            Some(text) => text == ty && pair.key.tree.as_text() == Some("type"),
            None => is_type_in(&pair.value, ty),
        }),
        _ => false,
    }
}

impl Judge<'_, '_> {
    fn all(&mut self) {
        let (stack, world) = (self.stack, self.world);
        // Loaded once for all resources, because many use the stack's name.
        let loaded = rules::named(stack);
        let named = loaded.as_ref().map(|loaded| stack.again(world, loaded));
        for (name, resource) in &stack.resources {
            self.resource(stack.subject(name, resource), named.as_ref());
        }
        if self.around.is_none() {
            self.outputs();
            self.cycles();
        }
    }

    /// The place of `span`, or otherwise of the group whose member this is.
    fn at(&self, span: Option<Span>, subject: Subject<'_>) -> Source {
        match (&self.around, span) {
            (Some(around), _) => around.at.clone(),
            (None, Some(span)) => self.stack.loaded.template.at(span),
            (None, None) => {
                let resource = self.stack.loaded.template.resources.get(subject.name);
                self.stack.loaded.template.at(resource.map_or(Span::default(), |resource| resource.name_span))
            }
        }
    }

    /// The name of a resource in messages.
    fn called(&self, subject: Subject<'_>) -> String {
        match &self.around {
            Some(Around { name, .. }) => format!("a member of `{name}`"),
            None => format!("`{}`", subject.name),
        }
    }

    /// Judges a resource. `named` is the same stack with a known name, if that could matter.
    fn resource(&mut self, subject: Subject<'_>, named: Option<&Stack<'_>>) {
        let Subject { name, resource, .. } = subject;
        let written = self.stack.loaded.template.resources.get(name).filter(|_| self.around.is_none());
        if name.contains('/') {
            let at = self.at(None, subject);
            self.found.push(illegal_name::diagnostic(name, &at));
        }
        if written.is_some_and(|resource| self.may_be_absent(resource)) {
            return;
        }
        if resource.ty.is_empty() {
            // For resources written in the template, the check of their definition reports this.
            if self.around.is_some() {
                let at = self.at(None, subject);
                self.found.push(class_rule::diagnostic(
                    &format!("{} has no type", self.called(subject)),
                    &at,
                    "add one",
                ));
            }
            return;
        }
        if is_template(&resource.ty) && self.is_not_sent(&resource.ty) {
            let at = self.at(None, subject);
            self.found.push(unknown_type::not_sent(&self.called(subject), &resource.ty, &at));
            return;
        }
        if let Maker::None = resource.maker {
            let at = self.at(written.and_then(|resource| resource.ty.as_ref()).map(|ty| ty.span), subject);
            // A missing file is reported separately.
            if !is_template(&resource.ty) {
                let known = self.stack.registry.types.keys().map(String::as_str);
                self.found.push(unknown_type::diagnostic(&self.called(subject), &resource.ty, known, &at));
            }
            // Its references are invalid whatever its type is.
            self.references(subject);
            // For a member of a group, the wrong type is a fault in a value of the group.
            if self.around.is_none() {
                self.misspelt(subject);
            }
            return;
        }
        if resource.external {
            self.external(subject);
            return;
        }
        self.references(subject);
        if resource.is_placeholder() {
            return;
        }
        let mut wrongs = resource.properties().wrongs(self.strict);
        if let Some(named) = named.filter(|_| wrongs.is_empty()) {
            wrongs = self.whatever_its_name(subject, named);
        }
        let fine = wrongs.is_empty();
        // Properties that are not a map are reported as such, and no property is missing.
        let properties = written.and_then(|resource| resource.properties.as_ref());
        let is_other = properties.is_some_and(Node::is_other_than_map);
        for wrong in wrongs.into_iter().filter(|wrong| !is_other || !matches!(wrong.what, What::Missing(_))) {
            self.wrong(subject, &resource.ty, wrong);
        }
        self.deletion_policy(subject);
        if fine {
            if !self.lacks_values(resource) {
                self.rules(subject, named);
            }
            self.facade(subject);
            self.nested(subject);
            if resource.made_by() == REMOTE {
                self.environment_of_nested();
            }
        }
    }

    /// Whether Heat cannot find the template of a member. The content of a URL is not known here.
    fn is_not_sent(&self, ty: &str) -> bool {
        self.around.as_ref().is_some_and(|around| !ty.contains("://") && !around.sends(ty))
    }

    /// Judges what the environment passes to a stack within this one.
    fn environment_of_nested(&mut self) {
        // It is the same for all stacks, so the first one reports it.
        let is_said = |diagnostic: &Diagnostic| diagnostic.code == environment_form::ENVIRONMENT_FORM.code;
        if self.stack.depth == 0 && !self.found.iter().any(is_said) {
            let fault = self.stack.loaded.environment.kept_from_nested();
            self.found.extend(fault.map(environment_form::diagnostic));
        }
    }

    /// Whether it is unknown whether the resource exists, for example because its condition depends on the stack's name. A
    /// parameter without a value is reported separately, and does not exclude a resource.
    fn may_be_absent(&self, written: &crate::template::Resource) -> bool {
        let loaded = self.stack.loaded;
        let condition = written.condition.as_ref().filter(|_| loaded.template.version().has_conditions());
        let is_missing = loaded.parameters.values.values().any(|valued| valued.origin == Origin::Missing);
        !is_missing && Scope::new(loaded, Mode::Validation).holds(condition) == Ok(None)
    }

    /// Whether a property cannot be known yet, because it depends on a parameter without a value. That parameter is reported
    /// separately.
    fn lacks_values(&self, resource: &Resource) -> bool {
        let is_missing = self.stack.loaded.parameters.values.values().any(|valued| valued.origin == Origin::Missing);
        is_missing && rules::is_open(resource)
    }

    /// Judges the properties of a resource with a misspelt type by those of the intended type. Missing properties are
    /// reported only once the type is right.
    fn misspelt(&mut self, subject: Subject<'_>) {
        let meant = unknown_type::misspelt(&subject.resource.ty).and_then(|ty| self.world.types.get(ty));
        let Some(meant) = meant.filter(|meant| !meant.placeholder) else { return };
        let (schema, translations) = (&meant.schema.properties, meant.class.translates);
        let properties = Properties { schema, translations, given: &subject.resource.given };
        let is_written = |wrong: &Wrong| !matches!(wrong.what, What::Missing(_));
        for wrong in properties.wrongs(self.strict).into_iter().filter(is_written) {
            self.wrong(subject, &meant.name, wrong);
        }
    }

    /// Reports a fault in a property of a resource of the type `ty`.
    fn wrong(&mut self, subject: Subject<'_>, ty: &str, wrong: Wrong) {
        let called = self.called(subject);
        let diagnostic = match &wrong.what {
            What::Unknown { name, known } => {
                let at = self.at(wrong.span, subject);
                unknown_property::diagnostic(&called, ty, &wrong.path, name, known, &at)
            }
            What::Missing(name) => {
                let at = self.at(wrong.span, subject);
                missing_property::diagnostic(&called, ty, &wrong.path, name, &at)
            }
            what => {
                let at = self.at(wrong.span, subject);
                property_value::diagnostic(&called, &wrong.path, what, &at)
            }
        };
        self.found.push(diagnostic);
    }

    fn deletion_policy(&mut self, subject: Subject<'_>) {
        let template = &self.stack.loaded.template;
        let Some(node) = template.resources.get(subject.name).and_then(|resource| resource.deletion_policy.as_ref())
        else {
            return;
        };
        if self.around.is_some() {
            return;
        }
        let scope = Scope::new(self.stack.loaded, Mode::Validation);
        let Ok(Value::Text(policy)) = scope.value(node) else { return };
        if let Some(Broken { what, help }) = subject.kept(&policy) {
            let at = self.at(Some(node.span), subject);
            self.found.push(class_rule::diagnostic(&format!("{}: {what}", self.called(subject)), &at, help));
        }
    }

    /// Judges the stack nested as the resource.
    fn nested(&mut self, subject: Subject<'_>) {
        let Subject { name, resource, .. } = subject;
        let is_provider = matches!(resource.maker, Maker::Template(_));
        if !is_provider && resource.class().group.is_none() {
            return;
        }
        if self.stack.depth >= limits::NESTED {
            let at = self.at(None, subject);
            self.found.push(deep_nesting::diagnostic(&self.called(subject), &at));
            return;
        }
        let Some(nested) = self.stack.nested(name, resource, true) else {
            if !is_provider && !self.stack.is_exhausted() {
                let at = self.at(None, subject);
                let what = format!("{}: the definition of its members cannot be read", self.called(subject));
                self.found.push(class_rule::diagnostic(&what, &at, "check their definition"));
            }
            return;
        };
        let stack = nested.stack(self.world, self.stack);
        // Heat does not validate the stack of a group without members.
        if !is_stack_name(name) && (is_provider || !stack.resources.is_empty()) {
            let at = self.at(None, subject);
            self.found.push(illegal_name::of_a_stack(name, &at));
            return;
        }
        if is_provider || !stack.resources.is_empty() {
            self.environment_of_nested();
        }
        let around = if is_provider {
            None
        } else {
            let at = resource.given.get("resource_def").or_else(|| resource.given.get("resource"));
            let span = at.and_then(|property| property.pair.as_ref()).map(|pair| pair.value.span);
            let own = || resource.given.values().filter_map(|given| Some(given.pair.as_ref()?.value.clone())).collect();
            let written = self.around.as_ref().map_or_else(own, |around| around.written.clone());
            Some(Around { at: self.at(span, subject), name: name.to_owned(), written })
        };
        let mut found = Vec::new();
        Judge { world: self.world, stack: &stack, strict: false, around, found: &mut found }.all();
        // All members of a group are alike, so one of them is enough.
        found.dedup_by(|one, other| {
            one.code == other.code && one.message == other.message && one.labels == other.labels
        });
        self.found.append(&mut found);
    }
}
