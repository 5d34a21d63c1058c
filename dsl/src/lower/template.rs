//! The template of the whole model, before it is cut.

use crate::analysis::attribute::text;
use crate::analysis::decision::{Decision, Decisions, Reader, Way};
use crate::model::{Expr, Model, Name, Reference, Referred, Resource, Source};
use crate::requirement::{self, When};

use super::agent::{self, Words};
use super::hot::{Hot, HotOutput, HotParameter, HotParameterGroup, HotResource, Template};
use super::placement;
use super::resolve::for_heat;
use super::workload::Workload;

pub(super) fn build(model: &Model, plan: &Workload<'_>, decisions: &mut Decisions) -> Template {
    let mut template = with_parameters(model);
    requirements(model, &mut template, decisions);
    if model.resources.keys().any(|name| plan.is_managed(name)) {
        template.parameters.extend(agent::parameters(&model.stack));
        template.resources.insert(agent::ROOT.into(), agent::root());
    }
    let words = Words::new();
    let (user_data, format): (Name, Name) = ("user_data".into(), "user_data_format".into());
    let raw = Hot::from("RAW");
    resources(model, &mut template, decisions, |name, resource, hot| {
        if let Some(duties) = plan.servers.get(name).filter(|_| plan.is_managed(name)) {
            hot.set(format.clone(), raw.clone());
            hot.set(user_data.clone(), words.user_data(model, name, resource, duties));
        }
    });
    placement::add(model, &mut template);
    exports(model, &mut template, decisions);
    outputs(model, &mut template, decisions);
    template
}

/// A template with only the author's parameters and conditions.
pub(crate) fn with_parameters(model: &Model) -> Template {
    let mut template = Template::new(&model.description);
    template.heat_template_version = model.version.clone();
    template.parameter_groups.extend(model.parameter_groups.iter().map(|group| HotParameterGroup {
        label: group.label.clone(),
        description: group.description.clone(),
        parameters: group.parameters.clone(),
    }));
    template.conditions.extend(model.conditions.iter().map(|(name, known)| (name.clone(), for_heat(&known.value))));
    template.parameters.extend(model.parameters.iter().map(|(name, parameter)| {
        let mut hot = HotParameter::new(parameter.heat_type);
        hot.label.clone_from(&parameter.label);
        hot.description.clone_from(&parameter.description);
        hot.default.clone_from(&parameter.default);
        hot.hidden = parameter.is_hidden();
        hot.constraints.clone_from(&parameter.constraints);
        hot.immutable = parameter.immutable;
        hot.tags.clone_from(&parameter.tags);
        (name.clone(), hot)
    }));
    template
}

/// Adds the requirements on parameters that Heat can check.
pub(super) fn requirements(model: &Model, template: &mut Template, decisions: &mut Decisions) {
    for (name, requirement) in &model.requirements {
        if requirement::when(model, &requirement.predicate) != When::Apply {
            continue;
        }
        let heats = requirement::of_heat(model, name, requirement);
        let way = if heats.whole { Way::Heat } else { Way::Seed };
        for (parameter, constraint) in heats.constraints {
            if let Some(hot) = template.parameters.get_mut(&parameter) {
                hot.constraints.push(constraint);
            }
        }
        requirement.predicate.each(&mut |value| {
            let reader = || Reader::Requirement(name.clone());
            decided(value, |_| way, reader, &requirement.at, decisions);
        });
    }
}

/// Adds the author's resources, each as modified by `finish`.
pub(crate) fn resources(
    model: &Model,
    template: &mut Template,
    decisions: &mut Decisions,
    mut finish: impl FnMut(&Name, &Resource, &mut HotResource),
) {
    template.resources.reserve(model.resources.len());
    for (name, resource) in &model.resources {
        let mut hot = HotResource::new(resource.ty.clone());
        hot.description.clone_from(&resource.description);
        hot.depends_on.clone_from(&resource.depends_on);
        let setting = |value: &Option<Box<Expr>>| value.as_deref().map(for_heat).map(Box::new);
        hot.condition = setting(&resource.condition);
        hot.metadata = setting(&resource.metadata);
        hot.deletion_policy = setting(&resource.deletion_policy);
        hot.update_policy = setting(&resource.update_policy);
        hot.external_id = setting(&resource.external_id);
        for (name_of, value) in resource.settings() {
            let reader = || Reader::Property { resource: name.clone(), property: name_of.into() };
            decide(value, reader, &resource.at, decisions);
        }
        // A server also gets user data and its format.
        let added = if resource.is_server() { 2 } else { 0 };
        hot.properties.reserve_exact(resource.properties.len() + added);
        for (property, binding) in &resource.properties {
            let reader = || Reader::Property { resource: name.clone(), property: property.clone() };
            decide(&binding.value, reader, &binding.at, decisions);
            hot.properties.push((property.clone(), for_heat(&binding.value)));
        }
        finish(name, resource, &mut hot);
        template.resources.insert(name.clone(), hot);
    }
}

/// Turns exports that Heat can compute into outputs of the stack. A secret export does not become one, because Heat
/// would show it.
fn exports(model: &Model, template: &mut Template, decisions: &mut Decisions) {
    for (name, export) in &model.exports {
        let reader = || Reader::Export(name.clone());
        if is_known_to_heat(&export.value) {
            decide(&export.value, reader, &export.at, decisions);
            if !export.ty.is_secret() {
                template.outputs.insert(name.clone(), HotOutput::new(for_heat(&export.value)));
            }
        } else {
            let way = |reference: Referred<'_>| {
                if matches!(reference, Reference::Parameter(_)) { Way::Seed } else { Way::Entry }
            };
            decided(&export.value, way, reader, &export.at, decisions);
        }
    }
}

/// Adds the outputs of the stack besides its exports.
pub(crate) fn outputs(model: &Model, template: &mut Template, decisions: &mut Decisions) {
    for (name, output) in &model.outputs {
        for value in output.condition.iter().chain([&output.value]) {
            decide(value, || Reader::Output(name.clone()), &output.at, decisions);
        }
        let mut hot = HotOutput::new(for_heat(&output.value));
        hot.description.clone_from(&output.description);
        hot.condition = output.condition.as_ref().map(for_heat);
        template.outputs.insert(name.clone(), hot);
    }
}

/// Whether Heat knows everything that a value refers to.
pub(crate) fn is_known_to_heat(value: &Expr) -> bool {
    let is_known = |reference: Referred<'_>| {
        matches!(reference, Reference::Parameter(_) | Reference::Resource(_) | Reference::Attribute { .. })
    };
    value.references().all(is_known)
}

/// Records that Heat resolves everything that `value` refers to.
pub(super) fn decide(value: &Expr, reader: impl Fn() -> Reader, at: &Source, decisions: &mut Decisions) {
    decided(value, |_| Way::Heat, reader, at, decisions);
}

fn decided(
    value: &Expr,
    way: impl Fn(Referred<'_>) -> Way,
    reader: impl Fn() -> Reader,
    at: &Source,
    decisions: &mut Decisions,
) {
    for reference in value.references() {
        let way = way(reference);
        decisions.note(|| Decision { reader: reader(), reference: text(reference), way, at: at.clone() });
    }
}
