//! Deployments: each component on its server, with its inputs and its place in the order.

use std::collections::{HashMap, HashSet};

use crate::analysis::decision::{Decisions, Reader};
use crate::graph::{Graph, Node, Why};
use crate::lower::hot::{Hot, HotResource, Template};
use crate::lower::template::decide;
use crate::model::{Name, Value};

use super::form::{Form, Forms, lack};
use super::value::{Values, deployment_name, given};

pub(super) fn add(values: &Values<'_>, forms: &Forms<'_>, template: &mut Template, decisions: &mut Decisions) {
    let mut after = orders(values);
    for (key, component) in &values.model.components {
        let Some(kind) = forms.component_types.get(&component.declaration) else { continue };
        let mut deployment = HotResource::new("OS::Heat::SoftwareDeployment".into());
        deployment.set("name".into(), Hot::Value(Value::Str(component.name.clone())));
        let config = &kind.configs[&lack(kind.declaration, component)];
        deployment.set("config".into(), Hot::GetResource(config.clone()));
        deployment.set("server".into(), Hot::GetResource(component.server.clone()));
        let mut inputs = Vec::new();
        for (input, binding) in &component.inputs {
            decide(
                &binding.value,
                || Reader::Input { component: key.clone(), input: input.clone() },
                &binding.at,
                decisions,
            );
            if let (Some(declared), Some(value)) = (kind.declaration.inputs.get(input), given(component, input)) {
                let typed = kind.is_typed();
                let value = if typed { values.hot(value) } else { values.variable(&declared.ty, value) };
                inputs.push((input.clone(), value));
            }
        }
        if !inputs.is_empty() {
            deployment.set("input_values".into(), Hot::Map(inputs));
        }
        if matches!(kind.form, Form::Program) && kind.declaration.recipe.teardown.is_some() {
            let actions = ["CREATE", "UPDATE", "DELETE"];
            deployment.set("actions".into(), Hot::List(actions.into_iter().map(Hot::from).collect()));
        }
        deployment.depends_on = after.remove(key).unwrap_or_default();
        template.resources.insert(deployment_name(component), deployment);
    }
}

/// For each component, the deployments that it follows without reading anything from them. If it reads something, Heat
/// knows the order.
fn orders<'m>(values: &Values<'m>) -> HashMap<&'m Name, Vec<Name>> {
    let mut read = HashSet::new();
    let mut ordered = Vec::new();
    for (from, edge, to) in Graph::of(values.model).edges() {
        let (Node::Component(from, _), Node::Component(to, before)) = (from, to) else { continue };
        match edge.why {
            Why::Data { .. } => {
                read.insert((from, to));
            }
            Why::RunList | Why::After => ordered.push((from, to, before)),
            Why::Property(_) | Why::Setting(_) | Why::DependsOn | Why::UserData { .. } => {}
        }
    }
    let mut after: HashMap<&Name, Vec<Name>> = HashMap::new();
    for (from, to, before) in ordered {
        let names = after.entry(from).or_default();
        let before = deployment_name(before);
        if !read.contains(&(from, to)) && !names.contains(&before) {
            names.push(before);
        }
    }
    after
}
