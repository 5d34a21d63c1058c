//! The place of an expression in a model.

use std::fmt;

use crate::model::{Expr, Model, Name, Source};

/// What an expression is assigned to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place<'m> {
    Property {
        resource: &'m Name,
        property: &'m Name,
    },
    /// `metadata`, `condition`, ...
    Setting {
        resource: &'m Name,
        setting: &'static str,
    },
    Condition(&'m Name),
    Output(&'m Name),
    Input {
        component: &'m Name,
        input: &'m Name,
    },
    ForwardReference(&'m Name),
    Export(&'m Name),
    Requirement(&'m Name),
}

/// As in messages: the property `image` of `db`.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Property { resource, property } => write!(f, "the property `{property}` of `{resource}`"),
            Self::Setting { resource, setting } => write!(f, "`{setting}` of `{resource}`"),
            Self::Condition(name) => write!(f, "the condition `{name}`"),
            Self::Output(name) => write!(f, "the output `{name}` of the stack"),
            Self::Input { component, input } => write!(f, "the input `{input}` of `{component}`"),
            Self::ForwardReference(name) => write!(f, "the forward reference `{name}`"),
            Self::Export(name) => write!(f, "the export `{name}`"),
            Self::Requirement(name) => write!(f, "the requirement `{name}`"),
        }
    }
}

/// Calls `visit` for every assigned expression, in the order of the model.
pub(super) fn each<'m>(model: &'m Model, mut visit: impl FnMut(Place<'m>, &'m Source, &'m Expr)) {
    for (name, condition) in &model.conditions {
        visit(Place::Condition(name), &condition.at, &condition.value);
    }
    for (name, resource) in &model.resources {
        for (setting, value) in resource.settings() {
            visit(Place::Setting { resource: name, setting }, &resource.at, value);
        }
        for (property, binding) in &resource.properties {
            visit(Place::Property { resource: name, property }, &binding.at, &binding.value);
        }
    }
    for (key, component) in &model.components {
        for (input, binding) in &component.inputs {
            visit(Place::Input { component: key, input }, &binding.at, &binding.value);
        }
    }
    for (name, forward) in &model.forward_references {
        for binding in &forward.fulfilled {
            visit(Place::ForwardReference(name), &binding.at, &binding.value);
        }
    }
    for (name, export) in &model.exports {
        visit(Place::Export(name), &export.at, &export.value);
    }
    for (name, requirement) in &model.requirements {
        requirement.predicate.each(&mut |value| visit(Place::Requirement(name), &requirement.at, value));
    }
    for (name, output) in &model.outputs {
        for value in output.condition.iter().chain([&output.value]) {
            visit(Place::Output(name), &output.at, value);
        }
    }
}
