//! The diagram of a model.
//!
//! What lives here: which parts of a model are drawn, and the few words that a diagram has room for. What must not: the
//! drawing, which belongs to `wattle-diagram`.

mod words;

use std::collections::HashSet;
use std::{io, ptr};

use crate::graph::{self, Graph, Node};
use crate::model::{self, Binding, Content, Declaration, Expr, IndexMap, Input, Model, Name, Ports, Reference};

use words::{place, value};

pub use wattle_diagram::*;
pub use words::type_in_short;

/// The diagram of a model, even of an invalid one: dangling references are left out.
pub fn of(model: &Model) -> Diagram {
    let (existing, graph) = (existing(model), Graph::of(model));
    let resources = resources(model, &existing).collect();
    with(model, resources, components(model).collect(), edges(model, &graph).collect())
}

/// Writes the diagram of a model without the texts of recipes as JSON. The diagram would take as much room as the
/// model, so it is never in memory as a whole.
///
/// # Errors
/// If `out` fails.
pub fn write(model: &Model, out: impl io::Write) -> io::Result<()> {
    let (existing, graph) = (existing(model), Graph::of(model));
    let resources = Each(|| resources(model, &existing));
    with(model, resources, Each(|| components(model)), Each(|| edges(model, &graph))).without_texts().write(out)
}

fn with<R: Parts, C: Parts, E: Parts>(model: &Model, resources: R, components: C, edges: E) -> Diagram<R, C, E> {
    let exports = model.exports.iter().map(|(name, export)| {
        let value = value(&export.value, export.ty.is_secret()).into();
        (name.clone(), Exported { value, ty: Some(type_in_short(&export.ty).into()), at: place(&export.at) })
    });
    let outputs = model.outputs.iter().map(|(name, output)| {
        let value = value(&output.value, false).into();
        (name.clone(), Exported { value, ty: None, at: place(&output.at) })
    });
    let mut texts = Vec::new();
    Diagram {
        format: FORMAT.into(),
        stack: model.stack.clone(),
        description: model.description.as_str().into(),
        at: place(&model.at),
        modules: modules(model),
        resources,
        component_types: kinds(model, &mut texts),
        components,
        edges,
        parameters: model.parameters.iter().map(|(name, of)| (name.clone(), parameter(of))).collect(),
        exports: exports.chain(outputs).collect(),
        texts,
        places: places(model),
        live: None,
    }
}

fn said(bandwidth: model::Bandwidth) -> Name {
    bandwidth.to_string().into()
}

/// The places of servers, as far as the model itself names hosts: `availability_zone: ZONE:HOST`.
fn places(model: &Model) -> IndexMap<Name, Place> {
    let servers = model.resources.iter().filter(|(_, of)| of.is_server());
    let place = |of: &model::Resource| {
        let (zone, host) = of.properties.get("availability_zone")?.value.constant()?.as_str()?.split_once(':')?;
        let named = |name: &str| Some(Name::from(name)).filter(|name| !name.is_empty());
        let host = named(host.split(':').next().unwrap_or(host))?;
        Some(Place { zone: named(zone), host: Some(host), ..Place::default() })
    };
    servers.filter_map(|(name, of)| Some((name.clone(), place(of)?))).collect()
}

/// The innermost module that contains the part with this qualified name.
fn around(model: &Model, name: &str) -> Option<Name> {
    let mut rest = name;
    while let Some((outer, _)) = rest.rsplit_once('.') {
        if let Some((known, _)) = model.modules.get_key_value(outer) {
            return Some(known.clone());
        }
        rest = outer;
    }
    None
}

/// The modules, each after the one that contains it.
fn modules(model: &Model) -> Vec<Module> {
    let module = |(name, of): (&Name, &model::Module)| Module {
        name: name.clone(),
        module: around(model, name),
        kind: of.kind.clone(),
        title: None,
        at: place(&of.at),
    };
    let mut modules: Vec<_> = model.modules.iter().map(module).collect();
    modules.sort_by_key(|module| module.name.split('.').count());
    modules
}

fn resources<'m>(model: &'m Model, existing: &'m [Resource]) -> impl Iterator<Item = Resource> + 'm {
    let resource = |(name, of): (&Name, &model::Resource)| {
        let mut networks = Vec::new();
        if of.is_server() {
            networks = model.networks_of(of).known.into_iter().cloned().collect();
            networks.extend(existing_networks(of).into_iter().map(|(name, _)| name));
        }
        let property = |(name, binding): (&Name, &Binding)| (name.clone(), property(binding));
        Resource {
            module: around(model, name),
            doc: of.description.as_str().into(),
            networks,
            properties: of.properties.iter().map(property).collect(),
            at: place(&of.at),
            ..Resource::new(name.clone(), of.ty.clone(), Role::of(&of.ty))
        }
    };
    existing.iter().cloned().chain(model.resources.iter().map(resource))
}

/// The existing networks that servers are on.
fn existing(model: &Model) -> Vec<Resource> {
    let mut existing: Vec<Resource> = Vec::new();
    for (name, doc) in model.resources.values().filter(|of| of.is_server()).flat_map(existing_networks) {
        if !existing.iter().any(|network| network.name == name) {
            existing.push(Resource { doc, ..Resource::new(name, "", Role::Network) });
        }
    }
    existing
}

/// A value in words, short enough to be shown beside others.
fn property(binding: &Binding) -> Name {
    const SHOWN: usize = 200;
    let text = value(&binding.value, false);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The networks of a server that no resource of the model creates: named, or given by a parameter.
fn existing_networks(server: &model::Resource) -> Vec<(Name, Name)> {
    let items = match server.properties.get("networks").map(|binding| &binding.value) {
        Some(Expr::List(items)) => items.iter().collect::<Vec<_>>(),
        Some(Expr::Constant(_)) | None => return constant_networks(server),
        Some(_) => return Vec::new(),
    };
    let network = |item: &Expr| {
        let Expr::Map(item) = item else { return None };
        match item.get("network").or_else(|| item.get("uuid"))? {
            Expr::Leaf(Reference::Parameter(name)) => {
                Some((format!("parameter {name}").into(), "exists already".into()))
            }
            Expr::Constant(name) => Some((name.as_str()?.into(), "exists already".into())),
            _ => None,
        }
    };
    items.into_iter().filter_map(network).collect()
}

fn constant_networks(server: &model::Resource) -> Vec<(Name, Name)> {
    let networks = server.properties.get("networks").and_then(|binding| binding.value.constant());
    let Some(model::Value::List(items)) = networks else { return Vec::new() };
    let network = |item: &model::Value| match item {
        model::Value::Map(item) => {
            let name = item.get("network").or_else(|| item.get("uuid"))?.as_str()?;
            Some((name.into(), "exists already".into()))
        }
        _ => None,
    };
    items.iter().filter_map(network).collect()
}

fn kinds(model: &Model, texts: &mut Vec<Name>) -> IndexMap<Name, ComponentType> {
    let used: HashSet<&Name> = model.components.values().map(|component| &component.declaration).collect();
    let declared = model.declarations.iter().filter(|(path, _)| used.contains(path));
    declared.map(|(path, of)| (path.clone(), kind(of, texts))).collect()
}

fn kind(of: &Declaration, texts: &mut Vec<Name>) -> ComponentType {
    let file = |file: &model::File| {
        let text = match &file.content {
            Content::Text(text) => Some(index(texts, text)),
            Content::Binary(_) => None,
        };
        File { path: file.path.as_ref().into(), text }
    };
    ComponentType {
        name: of.name.clone(),
        doc: of.doc.trim().into(),
        tool: of.recipe.tool.to_string().into(),
        recipe: of.recipe.entry.clone(),
        teardown: of.recipe.teardown.clone(),
        files: of.recipe.files.iter().map(file).collect(),
        inputs: of.inputs.iter().map(|(name, input)| (name.clone(), read(input))).collect(),
        outputs: of.outputs.iter().map(|(name, output)| (name.clone(), written(output))).collect(),
        listens: of.listens.iter().map(listen).collect(),
        deadline: of.deadline,
        wait: of.wait,
        bandwidth: of.bandwidth.map(said),
        at: place(&of.at),
    }
}

fn index(texts: &mut Vec<Name>, text: &str) -> usize {
    texts.iter().position(|known| **known == *text).unwrap_or_else(|| {
        texts.push(text.into());
        texts.len() - 1
    })
}

fn read(input: &Input) -> Port {
    let default = input.default.as_ref().map(|default| value(&Expr::Constant(default.clone()), input.ty.is_secret()));
    Port {
        ty: type_in_short(&input.ty).into(),
        bandwidth: None,
        doc: input.doc.trim().into(),
        optional: !input.required,
        default: default.map(Into::into),
    }
}

fn written(output: &model::OutputDeclaration) -> Port {
    let bandwidth = output.bandwidth.map(said);
    Port {
        ty: type_in_short(&output.ty).into(),
        bandwidth,
        doc: output.doc.trim().into(),
        optional: false,
        default: None,
    }
}

fn listen(listen: &model::Listen) -> Name {
    let ports = match &listen.ports {
        Ports::OfInput(input) => input.to_string(),
        Ports::Fixed { first, last } if first == last => first.to_string(),
        Ports::Fixed { first, last } => format!("{first}-{last}"),
    };
    format!("{} {ports}", listen.protocol).into()
}

fn components(model: &Model) -> impl Iterator<Item = Component> {
    model.components.iter().map(|(key, of)| {
        let inputs = of.inputs.iter().map(|(name, binding)| {
            let declared = model.declaration(of).and_then(|declared| declared.inputs.get(name));
            let secret = declared.is_none_or(|input| input.ty.is_secret());
            (name.clone(), WiredInput { value: value(&binding.value, secret).into(), at: place(&binding.at) })
        });
        Component {
            key: key.clone(),
            server: of.server.clone(),
            name: of.name.clone(),
            component_type: of.declaration.clone(),
            inputs: inputs.collect(),
            at: place(&of.at),
        }
    })
}

fn parameter(of: &model::Parameter) -> Parameter {
    Parameter {
        ty: type_in_short(&of.ty).into(),
        doc: of.description.trim().into(),
        default: of.default.as_ref().filter(|_| !of.is_hidden()).map(|default| default.to_string().into()),
    }
}

/// The dependencies, each edge once.
fn edges<'m>(model: &'m Model, graph: &'m Graph<'m>) -> impl Iterator<Item = Edge> + 'm {
    // Equal edges come from the same resource, input or list of orders, and are adjacent for that reason: the edges before
    // them need not be remembered.
    let (mut known, mut before) = (HashSet::new(), 0);
    let is_new = move |(to, edge, from): &(Node<'m>, graph::Edge<'m>, Node<'m>)| {
        let (of_input, of_resource) = (ptr::from_ref(edge.at).addr(), ptr::from_ref(name(*to)).addr());
        let (of, read) = match edge.why {
            graph::Why::Data { input, output, .. } => (of_input, (&**input, &**output)),
            graph::Why::UserData { component, input, .. } => (of_input, (&**component, &**input)),
            graph::Why::Property(property) => (of_resource, (&**property, "")),
            graph::Why::DependsOn => (of_resource, (DEPENDS_ON, "")),
            graph::Why::Setting(setting) => (of_resource, (setting, "")),
            // Each component follows at most one other.
            graph::Why::RunList if model.after.is_empty() => return true,
            graph::Why::RunList | graph::Why::After => (0, ("", "")),
        };
        if std::mem::replace(&mut before, of) != of {
            known.clear();
        }
        known.insert((name(*from), name(*to), read))
    };
    graph.edges().filter(is_new).map(|(to, edge, from)| {
        let mut drawn = Edge::new(name(from).clone(), name(to).clone(), Why::Infrastructure);
        drawn.at = place(edge.at);
        match edge.why {
            graph::Why::Data { input, output, forward_reference: forward } => {
                drawn.why = Why::Data;
                drawn.output = Some(output.clone());
                drawn.forward_reference = forward.map(|(forward, _)| forward.clone());
                drawn.ty = match to {
                    Node::Component(_, component) => {
                        let input = model.declaration(component).and_then(|declared| declared.inputs.get(input));
                        input.map(|input| type_in_short(&input.ty).into())
                    }
                    Node::Resource(..) => None,
                };
                drawn.bandwidth = match from {
                    Node::Component(_, component) => {
                        let output = model.declaration(component).and_then(|declared| declared.outputs.get(output));
                        output.and_then(|output| output.bandwidth).map(said)
                    }
                    Node::Resource(..) => None,
                };
                drawn.input = Some(input.clone());
            }
            graph::Why::RunList => drawn.why = Why::RunList,
            graph::Why::After => drawn.why = Why::After,
            graph::Why::Property(property) => drawn.input = Some(property.clone()),
            graph::Why::DependsOn => drawn.input = Some(DEPENDS_ON.into()),
            graph::Why::Setting(setting) => drawn.input = Some(setting.into()),
            graph::Why::UserData { component, input, .. } => drawn.input = Some(format!("{component} {input}").into()),
        }
        drawn
    })
}

const DEPENDS_ON: &str = "depends_on";

fn name(node: Node<'_>) -> &Name {
    match node {
        Node::Component(key, _) => key,
        Node::Resource(name, _) => name,
    }
}
