//! References to resources and their attributes.

use wattle_model::Source;
use wattle_model::names::meant;

use crate::evaluate::{Mode, Scope, Value};
use crate::resource::{
    Asked, How, Maker, Provider, Reference, ReferenceKind, Resource as StackResource, Subject, references_within,
};
use crate::template::{Resource, Template};
use crate::yaml::{Node, Tree};

use super::super::{class_rule, late_fault, unknown_attribute, unknown_reference};
use super::Judge;

/// The source of a reference.
#[derive(Clone, Copy)]
enum Who {
    Resource,
    Output,
}

impl Judge<'_, '_> {
    pub(super) fn references(&mut self, subject: Subject<'_>) {
        if self.around.is_some() {
            return;
        }
        let is_placeholder = subject.resource.is_placeholder();
        for reference in &subject.resource.references {
            self.reference(Who::Resource, reference, is_placeholder);
        }
    }

    /// Heat refuses an external resource that depends on others.
    pub(super) fn external(&mut self, subject: Subject<'_>) {
        let depends = subject.resource.references.iter().find(|reference| reference.how == How::DependsOn);
        if let Some(reference) = depends {
            let at = self.at(Some(reference.span), subject);
            let what = format!("`{}` already exists outside of Heat and cannot depend on anything", subject.name);
            self.found.push(class_rule::diagnostic(&what, &at, "remove `depends_on` or `external_id`"));
        }
        for reference in &subject.resource.references {
            if let Some(target) =
                self.stack.resources.get(&reference.name).filter(|_| reference.kind == ReferenceKind::Name)
            {
                self.is_path(reference, target);
            }
        }
    }

    /// Whether Heat can store the path to an attribute among all those that are used.
    fn is_path(&mut self, reference: &Reference, target: &StackResource) -> bool {
        let How::Attribute(path) = &reference.how else { return true };
        let Some((attribute, span)) = path.first() else { return true };
        let shown = match attribute {
            Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => attribute.python(),
            _ if path.iter().any(|(value, _)| matches!(value, Value::List(_) | Value::Map(_))) => {
                "a list or a map".to_owned()
            }
            _ => return true,
        };
        let at = self.stack.loaded.template.at(*span);
        let known = std::iter::empty();
        self.found.push(unknown_attribute::diagnostic(&reference.name, &target.ty, &shown, known, &at));
        false
    }

    pub(super) fn outputs(&mut self) {
        let stack = self.stack;
        let template = &stack.loaded.template;
        let scope = Scope::new(stack.loaded, Mode::Validation);
        for output in template.outputs.values() {
            let condition = output.condition.as_ref().filter(|_| template.version().has_conditions());
            if scope.holds(condition) != Ok(Some(true)) {
                continue;
            }
            for reference in output.value.iter().flat_map(|node| references_within(&scope, node)) {
                self.reference(Who::Output, &reference, false);
            }
        }
    }

    fn reference(&mut self, who: Who, reference: &Reference, unjudged: bool) {
        let stack = self.stack;
        let at = stack.loaded.template.at(reference.span);
        let is_name = reference.kind == ReferenceKind::Name;
        let target = stack.resources.get(&reference.name).filter(|_| is_name);
        let Some(target) = target else {
            let declared = stack.loaded.template.resources.get(&reference.name).filter(|_| is_name);
            let names = stack.resources.keys().map(String::as_str);
            // Heat accepts an explicit order with an absent resource, and it does not check an output's `get_resource` until
            // it needs the value. A failing call is reported separately.
            let accepted = match (who, &reference.how, reference.kind) {
                (_, How::DependsOn, _) => declared.is_some(),
                (Who::Output, How::Resource, ReferenceKind::Name | ReferenceKind::Other) if declared.is_none() => {
                    let what = format!("there is no resource `{}`", reference.name.escape_debug());
                    self.found.push(late_fault::diagnostic(what, &at, meant(&reference.name, names)));
                    return;
                }
                (Who::Output, How::Resource, kind) => kind != ReferenceKind::Parts,
                (_, _, ReferenceKind::Failure) => true,
                _ => false,
            };
            if !accepted {
                let taken_out = declared.map(|resource| stack.loaded.template.at(resource.name_span));
                self.found.push(unknown_reference::diagnostic(&reference.name, names, taken_out.as_ref(), &at));
            }
            return;
        };
        let How::Attribute(path) = &reference.how else { return };
        let Some(((attribute, span), rest)) = path.split_first() else { return };
        let at = stack.loaded.template.at(*span);
        if !self.is_path(reference, target) {
            return;
        }
        // The output of a component. If it is too late for a resource, a check of the model reports that.
        let is_own = |name: &str| path.len() == 2 && is_component(&stack.loaded.template, &reference.name, name);
        if !unjudged && !attribute.as_text().is_some_and(is_own) {
            self.attribute(&reference.name, target, attribute, &at);
        }
        self.group_attribute(&reference.name, target, attribute, rest.first().map(|(value, _)| value.python()), &at);
    }

    fn attribute(&mut self, name: &str, target: &StackResource, attribute: &Value, at: &Source) {
        let ty = match &target.maker {
            Maker::Type(ty) => ty,
            Maker::Template(provider) => return self.output_of_nested(name, provider, attribute, at),
            Maker::None => return,
        };
        // A failing call is reported separately.
        if ty.placeholder || ty.class.any_attribute || matches!(attribute, Value::Absent) {
            return;
        }
        let known = ty.schema.attributes.keys().map(|name| &**name);
        let is_known = attribute.as_text().is_some_and(|name| ty.schema.attributes.contains_key(name));
        if !is_known {
            self.found.push(unknown_attribute::diagnostic(name, &target.ty, &attribute.python(), known, at));
        }
    }

    /// Heat looks up an output of a nested stack only once that stack exists.
    fn output_of_nested(&mut self, name: &str, provider: &Provider, output: &Value, at: &Source) {
        // A failing call is reported separately. Every resource has `show`, and `resource.NAME` leads into the stack.
        let Some(output) = output.as_text().filter(|output| *output != "show" && !output.starts_with("resource."))
        else {
            return;
        };
        if provider.outputs.iter().any(|known| **known == *output) {
            return;
        }
        let what =
            format!("`{name}` has no attribute `{}`: `{}` has no such output", output.escape_debug(), provider.path);
        let known = provider.outputs.iter().map(|known| &**known);
        self.found.push(late_fault::diagnostic(what, at, meant(output, known)));
    }

    /// If a group does not have an attribute itself, it is an attribute of its members, for which Heat creates outputs.
    fn group_attribute(
        &mut self,
        name: &str,
        target: &StackResource,
        attribute: &Value,
        next: Option<String>,
        at: &Source,
    ) {
        let Maker::Type(ty) = &target.maker else { return };
        let asked = ty.class.group.and_then(|group| (group.asked)(&ty.schema, &attribute.python(), next));
        let Some(Asked { member, attribute }) = asked else { return };
        let Some(nested) = self.stack.nested(name, target, true) else { return };
        let members = nested.stack(self.world, self.stack);
        let found = members.resources.iter().find(|(name, _)| member.as_ref().is_none_or(|member| member == *name));
        if let Some((_, resource)) = found {
            self.attribute(name, resource, &Value::Text(attribute), at);
        }
    }
}

/// Whether `name` is a component on the server. An extended template reads a component's outputs as attributes of the
/// server.
pub(super) fn is_component(template: &Template, server: &str, name: &str) -> bool {
    let components = |resource: &Resource| Some(resource.metadata.as_ref()?.get("wattle")?.get("components")?.clone());
    let Some(components) = template.resources.get(server).and_then(components) else { return false };
    match &*components.tree {
        Tree::Map(_) => components.get(name).is_some(),
        Tree::List(items) => {
            items.iter().any(|item: &Node| item.get("name").and_then(|own| own.tree.as_text()) == Some(name))
        }
        _ => false,
    }
}
