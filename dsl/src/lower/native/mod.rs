//! Heat's own way: software as `OS::Heat::SoftwareConfig` and `OS::Heat::SoftwareDeployment`, in an order that Heat
//! enforces. It is for clouds whose servers run heat-agents and that have no data space.
//!
//! A component type is a config, and a component is a deployment on its server. A component reads a value of another by a
//! `get_attr` of the other's deployment, so Heat starts it when the value is available. An order between two components
//! that exchange no values is a `depends_on`. For this lowering, `check` reports what it cannot express
//! ([`crate::check::Limits::lowering`]).
//!
//! This module contains those two resource types and the values between them. Parameters, resources and their
//! properties are lowered by the same code as for agents.

mod config;
mod deployment;
mod form;
mod program;
mod tool;
mod value;

use std::collections::HashSet;

use crate::model::{Declaration, Model, Name};

use super::environment::Environment;
use super::hot::{Hot, HotOutput, Template};
use super::{placement, template};
use crate::analysis::decision::{Decision, Decisions, Reader};

pub(crate) use value::deployment_name;

use form::Forms;
use value::Values;

/// The result of lowering a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// What Heat creates and runs.
    pub template: Template,
    /// The parameters, to be filled in.
    pub environment: Environment,
    /// How each reference was resolved, in the model's order.
    pub decisions: Vec<Decision>,
}

/// Lowers a sound model: one in which `check` finds no error for this lowering.
///
/// The result is always a single stack, however large. Deployments depend on each other across servers, so the stack cannot
/// be cut anywhere.
pub fn lower(model: &Model) -> Lowered {
    of_identified(&super::identified(model))
}

/// Lowers a model that is identified by the names under which it was deployed.
pub(super) fn of_identified(model: &Model) -> Lowered {
    let mut decisions = Decisions::new(true);
    let mut template = template::with_parameters(model);
    template::requirements(model, &mut template, &mut decisions);
    let hosts: HashSet<&Name> = model.components.values().map(|component| &component.server).collect();
    template::resources(model, &mut template, &mut decisions, |name, resource, hot| {
        if resource.is_server() && hosts.contains(name) {
            hot.set("user_data_format".into(), Hot::from("SOFTWARE_CONFIG"));
        }
    });
    placement::add(model, &mut template);
    let values = Values { model };
    let forms = Forms::of(model);
    config::add(&forms, &mut template);
    deployment::add(&values, &forms, &mut template, &mut decisions);
    for (name, export) in &model.exports {
        template::decide(&export.value, || Reader::Export(name.clone()), &export.at, &mut decisions);
        if !export.ty.is_secret() {
            template.outputs.insert(name.clone(), HotOutput::new(values.hot(&export.value)));
        }
    }
    template::outputs(model, &mut template, &mut decisions);
    let environment = Environment::of(model, &template);
    Lowered { template, environment, decisions: decisions.made }
}

/// The number of resources in the stack.
pub(crate) fn resources(model: &Model) -> usize {
    let configs: usize = Forms::of(model).component_types.values().map(|kind| kind.configs.len()).sum();
    model.resources.len() + configs + model.components.len() + usize::from(!model.placement.is_empty())
}

/// The size of the template as JSON, in bytes, which is roughly how Heat counts it.
pub(crate) fn size(model: &Model) -> usize {
    // A value that JSON cannot express is reported when the template is emitted, not here.
    wattle_heat::emit::to_json(&lower(model).template).map_or(0, |text| text.len())
}

/// The component type that takes the most bytes of the template, and its size.
pub(crate) fn largest(model: &Model) -> Option<(&Declaration, usize)> {
    config::largest(&Forms::of(model))
}
