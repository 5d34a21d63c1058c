//! The diagram of a template. Resources and their dependencies come from Heat's graph; everything else comes from the
//! template's model.

use std::collections::HashMap;

use serde_json::{Value, json};
use wattle::diagram::{self, Diagram, Edge, Module, Resource, Role, Why};
use wattle::model::{Model, Name};
use wattle_heat::Graph;

/// The diagram of the template whose model is `model` and whose graph in Heat is `graph`.
pub(super) fn diagram(graph: &Graph, model: &Model) -> Diagram {
    let mut diagram = diagram::of(model);
    let mut known: HashMap<Name, Resource> =
        diagram.resources.drain(..).map(|resource| (resource.name.clone(), resource)).collect();
    let reasons: HashMap<_, _> = diagram
        .edges
        .extract_if(.., |edge| edge.why == Why::Infrastructure)
        .map(|edge| ((edge.from.clone(), edge.to.clone()), edge))
        .collect();
    let existing = known.extract_if(|_, resource| resource.role == Role::Network && resource.ty.is_empty());
    diagram.resources = existing.map(|(_, resource)| resource).collect();
    diagram.resources.sort_by(|a, b| a.name.cmp(&b.name));
    add(&mut diagram, graph, None, &mut known);
    let order = |name: &str| model.resources.get_index_of(name).unwrap_or(usize::MAX);
    diagram.resources.sort_by_key(|resource| order(&resource.name));
    for edge in diagram.edges.iter_mut().filter(|edge| edge.why == Why::Infrastructure) {
        if let Some(reason) = reasons.get(&(edge.from.clone(), edge.to.clone())) {
            *edge = reason.clone();
        }
    }
    diagram
}

/// Adds the resources of a stack. `within` is the resource that contains it as a nested stack.
fn add(diagram: &mut Diagram, graph: &Graph, within: Option<&Name>, known: &mut HashMap<Name, Resource>) {
    let id = |name: &str| -> Name { within.map_or_else(|| name.into(), |within| format!("{within}/{name}").into()) };
    for (local, ty) in &graph.types {
        let name = id(local);
        if let Some(nested) = graph.nested.get(local) {
            let at = known.remove(&name).map(|resource| resource.at).unwrap_or_default();
            let (module, kind) = (within.cloned(), ty.as_str().into());
            diagram.modules.push(Module { name: name.clone(), module, kind, title: None, at });
            add(diagram, nested, Some(&name), known);
            continue;
        }
        let mut resource = known.remove(&name).unwrap_or_else(|| Resource::new(name, ty.as_str(), Role::of(ty)));
        resource.module = within.cloned();
        diagram.resources.push(resource);
    }
    let role = |name: &str| graph.types.get(name).map(|ty| Role::of(ty));
    let requires = |name: &str| graph.graph.get(name).into_iter().flatten();
    for (name, required) in &graph.graph {
        diagram.edges.extend(required.iter().map(|other| Edge::new(id(other), id(name), Why::Infrastructure)));
        if role(name) != Some(Role::ServerBox) {
            continue;
        }
        // A port's network is that of its server.
        let ports = required.iter().filter(|other| graph.types.get(*other).is_some_and(|ty| ty == "OS::Neutron::Port"));
        let networks = required.iter().chain(ports.flat_map(|port| requires(port)));
        let networks: Vec<Name> =
            networks.filter(|other| role(other) == Some(Role::Network)).map(|network| id(network)).collect();
        let name = id(name);
        if let Some(server) = diagram.resources.iter_mut().find(|resource| resource.name == name) {
            for network in networks {
                if !server.networks.contains(&network) {
                    server.networks.push(network);
                }
            }
        }
    }
}

/// `graph`, `types` and `nested` as in [`Graph`], `components` and `waits` if software is described, and the diagram.
pub(super) fn json(graph: &Graph, diagram: &Diagram) -> String {
    let mut all = serde_json::to_value(graph).expect("INVARIANT: maps of text are JSON");
    if !diagram.components.is_empty() {
        let wait = |edge: &Edge| {
            let mut wait = json!({ "component": edge.to, "requires": edge.from, "why": edge.why });
            if let (Some(input), Some(output)) = (&edge.input, &edge.output) {
                wait["input"] = json!(input);
                wait["output"] = json!(output);
            }
            wait
        };
        let waits = diagram.edges.iter().filter(|edge| edge.why != Why::Infrastructure);
        all["components"] = diagram.components.iter().map(|component| json!(component.key)).collect();
        all["waits"] = waits.map(wait).collect::<Vec<Value>>().into();
    }
    all["picture"] = serde_json::to_value(diagram).expect("INVARIANT: text and numbers are JSON");
    format!("{all:#}\n")
}
