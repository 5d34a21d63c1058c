//! The page, and the picture on it.

use std::path::Path;

use wattle::model::{Name, Order};
use wattle::picture::{self, Component, Edge, Kind, Port, Resource, Role, Why, Wired};

use crate::report::Picture;
use crate::seed;
use crate::space::{Plan, PlannedComponent, Source, SpaceError};

use super::guard::Token;
use super::{Shown, plan};

/// The file of the picture that `emit` writes.
const FILE: &str = "graph.json";

/// The page of the stack as it is deployed now.
///
/// # Errors
/// When the data space cannot be read.
pub(super) async fn page(shown: &Shown, token: &Token) -> Result<String, SpaceError> {
    let mut picture = match deployed(shown).await {
        Some(picture) => picture,
        None => planned(&Picture::read(&shown.space, None).await?),
    };
    // What runs is of the stack, whatever the blueprint is called.
    picture.stack = shown.space.layout().stack().into();
    picture.live = Some(picture::Live { events: format!("events?token={}", token.as_str()).into() });
    Ok(picture::html(&picture))
}

/// What was drawn of the blueprint: as the data space has it, else as it was emitted.
async fn deployed(shown: &Shown) -> Option<picture::Picture> {
    let kept = seed::picture(shown.space.store(), shown.space.layout()).await.ok().flatten();
    let emitted = || std::fs::read_to_string(shown.directory.as_deref().map(Path::to_owned)?.join(FILE)).ok();
    picture::Picture::from_json(&kept.or_else(emitted)?).ok()
}

/// What can be drawn of the plans of the servers alone.
pub(super) fn planned(stack: &Picture) -> picture::Picture {
    let mut drawn = picture::Picture::new(stack.stack.clone());
    for (server, standing) in &stack.servers {
        drawn.resources.push(Resource {
            name: server.clone(),
            module: None,
            ty: "OS::Nova::Server".into(),
            role: Role::Server,
            doc: Name::default(),
            networks: Vec::new(),
            properties: Default::default(),
            at: Name::default(),
        });
        let Some(plan) = &standing.plan else { continue };
        for (name, planned) in &plan.components {
            let key: Name = format!("{server}/{name}").into();
            drawn.kinds.insert(key.clone(), kind(name, planned));
            drawn.components.push(Component {
                key: key.clone(),
                server: server.clone(),
                name: name.clone(),
                kind: key.clone(),
                inputs: planned
                    .inputs
                    .iter()
                    .map(|(name, input)| {
                        let value = plan::in_words(&input.from, &input.ty).into();
                        (name.clone(), Wired { value, at: Name::default() })
                    })
                    .collect(),
                at: Name::default(),
            });
            edges(stack, plan, name, planned, &key, &mut drawn.edges);
        }
    }
    drawn
}

fn kind(name: &Name, planned: &PlannedComponent) -> Kind {
    let port = |ty: &wattle::model::Type| Port {
        ty: ty.to_string().into(),
        doc: Name::default(),
        optional: false,
        default: None,
    };
    let tool = serde_json::to_value(planned.recipe.tool).ok();
    Kind {
        name: name.clone(),
        doc: Name::default(),
        tool: tool.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().into(),
        recipe: planned.recipe.entry.clone(),
        teardown: planned.recipe.teardown.clone(),
        files: Vec::new(),
        inputs: planned.inputs.iter().map(|(name, input)| (name.clone(), port(&input.ty))).collect(),
        outputs: planned.outputs.iter().map(|(name, output)| (name.clone(), port(&output.declared.ty))).collect(),
        listens: Vec::new(),
        deadline: planned.recipe.deadline,
        wait: planned.recipe.wait,
        at: Name::default(),
    }
}

fn edges(stack: &Picture, plan: &Plan, name: &Name, planned: &PlannedComponent, key: &Name, edges: &mut Vec<Edge>) {
    for (input, wired) in &planned.inputs {
        let mut entries = Vec::new();
        Source::entries(&wired.from, &mut entries);
        for entry in entries {
            let Some(writer) = stack.writer(entry) else { continue };
            let mut edge = Edge::new(writer.path().into(), key.clone(), Why::Data);
            edge.output = entry.rsplit_once('/').map(|(_, output)| output.into());
            edge.input = Some(input.clone());
            edge.ty = Some(wired.ty.to_string().into());
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
