//! The page, and the diagram on it.

use std::path::Path;

use wattle::diagram::{
    self, Component, ComponentType, Edge, FILE_NAME, Port, Resource, Role, Why, WiredInput, type_in_short,
};
use wattle::manners::read;
use wattle::model::{Name, Order, Type};

use crate::report::StackSnapshot;
use crate::seed;
use crate::space::{Held, PlannedComponent, ServerPlan, Space, SpaceError};

use super::guard::Token;
use super::{Shown, plan};

/// The page of the stack as it is currently deployed.
///
/// # Errors
/// If the data space cannot be read.
pub(super) async fn page(shown: &Shown, token: &Token) -> Result<String, SpaceError> {
    let mut diagram = drawn(&shown.space, shown.directory.as_deref()).await?;
    if let Some(before) = &shown.before
        && diagram.resources.is_empty()
    {
        diagram = diagram::Diagram::clone(before);
    }
    // What runs belongs to the stack, whatever the blueprint is called.
    diagram.stack = shown.space.layout().stack().into();
    diagram.live = Some(diagram::Live { events: format!("events?token={}", token.as_str()).into() });
    Ok(diagram::html(&diagram.framed()))
}

/// The diagram of a stack: that of its blueprint, if there is one, otherwise what the plans of its servers say.
///
/// # Errors
/// If the data space cannot be read.
pub async fn drawn(space: &Space, directory: Option<&Path>) -> Result<diagram::Diagram, SpaceError> {
    match deployed(space, directory).await {
        Some(diagram) => Ok(diagram),
        None => Ok(planned(&StackSnapshot::read(space, None).await?)),
    }
}

/// The diagram of the blueprint: the one in the data space, otherwise the one that was emitted to the directory.
async fn deployed(space: &Space, directory: Option<&Path>) -> Option<diagram::Diagram> {
    let kept = seed::diagram(space.store(), space.layout()).await.ok().flatten();
    let emitted = || read(&directory?.join(FILE_NAME)).ok();
    diagram::Diagram::from_json(&kept.or_else(emitted)?).ok()
}

/// What can be drawn from the plans of the servers alone.
pub(super) fn planned(stack: &StackSnapshot) -> diagram::Diagram {
    let mut drawn = diagram::Diagram::new(stack.stack.clone());
    for (server, standing) in &stack.servers {
        drawn.resources.push(Resource {
            name: server.clone(),
            module: None,
            ty: "OS::Nova::Server".into(),
            role: Role::ServerBox,
            doc: Name::default(),
            networks: Vec::new(),
            properties: Default::default(),
            at: Name::default(),
        });
        let Some(plan) = &standing.plan else { continue };
        for (name, planned) in &plan.components {
            let key: Name = format!("{server}/{name}").into();
            drawn.component_types.insert(key.clone(), kind(name, planned));
            drawn.components.push(Component {
                key: key.clone(),
                server: server.clone(),
                name: name.clone(),
                component_type: key.clone(),
                inputs: planned
                    .inputs
                    .iter()
                    .map(|(name, input)| {
                        let value = plan::in_words(&input.from, &input.ty).into();
                        (name.clone(), WiredInput { value, at: Name::default() })
                    })
                    .collect(),
                at: Name::default(),
            });
            edges(stack, plan, name, planned, &key, &mut drawn.edges);
        }
    }
    drawn
}

fn kind(name: &Name, planned: &PlannedComponent) -> ComponentType {
    let port = |ty: &Type| Port {
        ty: type_in_short(ty).into(),
        bandwidth: None,
        doc: Name::default(),
        optional: false,
        default: None,
    };
    ComponentType {
        name: name.clone(),
        doc: Name::default(),
        tool: planned.recipe.tool.name().into(),
        recipe: planned.recipe.entry.clone(),
        teardown: planned.recipe.teardown.clone(),
        files: Vec::new(),
        inputs: planned.inputs.iter().map(|(name, input)| (name.clone(), port(&input.ty))).collect(),
        outputs: planned.outputs.iter().map(|(name, output)| (name.clone(), port(&output.declared.ty))).collect(),
        listens: Vec::new(),
        deadline: planned.recipe.deadline,
        wait: planned.recipe.wait,
        bandwidth: None,
        at: Name::default(),
    }
}

fn edges(
    stack: &StackSnapshot,
    plan: &ServerPlan,
    name: &Name,
    planned: &PlannedComponent,
    key: &Name,
    edges: &mut Vec<Edge>,
) {
    for (input, wired) in &planned.inputs {
        for entry in wired.from.leaves().filter_map(Held::entry) {
            let Some(writer) = stack.writer(entry) else { continue };
            let mut edge = Edge::new(writer.path().into(), key.clone(), Why::Data);
            edge.output = entry.rsplit_once('/').map(|(_, output)| output.into());
            edge.input = Some(input.clone());
            edge.ty = Some(type_in_short(&wired.ty).into());
            edges.push(edge);
        }
    }
    for before in &planned.after {
        edges.push(Edge::new(before.clone(), key.clone(), Why::After));
    }
    let at = plan.components.get_index_of(name).unwrap_or_default();
    if plan.order == Order::Declared
        && let Some((before, _)) = at.checked_sub(1).and_then(|at| plan.components.get_index(at))
    {
        let server = key.rsplit_once('/').map_or("", |(server, _)| server);
        edges.push(Edge::new(format!("{server}/{before}").into(), key.clone(), Why::RunList));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use wattle::model::IndexMap;

    use crate::report::Standing;

    use super::*;

    #[test]
    fn plans_alone_are_drawn_as_well() {
        let part = |inputs: serde_json::Value| json!({ "tool": "shell", "recipe": "x.sh", "files": {}, "inputs": inputs, "outputs": {} });
        let plans = [
            ("a", json!({ "one": part(json!({})), "two": part(json!({})) })),
            ("b", json!({ "one": part(json!({ "url": { "type": "url", "from": { "entry": "a/two/url" } } })) })),
        ];
        let standing = |components| Standing {
            alive: None,
            plan: Some(Arc::new(serde_json::from_value(json!({ "revision": 1, "components": components })).unwrap())),
            troubles: Vec::new(),
            leaving: Vec::new(),
            finishing: Vec::new(),
            is_behind: false,
            was_heard: false,
            components: IndexMap::default(),
        };
        let mut stack = StackSnapshot {
            stack: "s".into(),
            desired: None,
            servers: IndexMap::default(),
            admission: Default::default(),
        };
        for (server, components) in plans {
            let mut standing = standing(components);
            let names = standing.plan.iter().flat_map(|plan| plan.components.keys());
            standing.components = names.map(|name| (name.clone(), None)).collect();
            stack.servers.insert(server.into(), standing);
        }
        let drawn = planned(&stack);
        let names = |names: Vec<&Name>| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(names(drawn.resources.iter().map(|resource| &resource.name).collect()), "a b");
        assert_eq!(names(drawn.components.iter().map(|component| &component.key).collect()), "a/one a/two b/one");
        let edge = |edge: &Edge| format!("{}>{} {}", edge.from, edge.to, edge.label().unwrap_or_default());
        let edges: Vec<String> = drawn.edges.iter().map(edge).collect();
        assert_eq!(edges, ["a/one>a/two ", "a/two>b/one url: url"]);
        assert_eq!(&*drawn.components[2].inputs["url"].value, "a/two/url");
    }
}
