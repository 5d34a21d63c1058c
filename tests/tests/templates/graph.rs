//! The dependency graph is Heat's own, including nested stacks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use wattle_heat::Graph;

use crate::corpus::Case;

/// A graph without parts that vary between runs: the folder of nested templates, and the random names that Heat gives
/// the members of scaling groups.
pub(crate) fn comparable(graph: &Value) -> Value {
    let requires = graph["graph"].as_object().expect("a graph");
    let types = graph["types"].as_object().expect("types");
    let nested = graph["nested"].as_object();
    let by_chance = !requires.is_empty() && requires.keys().all(|name| is_by_chance(name));
    let mut names: BTreeMap<&String, String> = requires.keys().map(|name| (name, name.clone())).collect();
    if by_chance {
        names = names.into_keys().enumerate().map(|(at, name)| (name, at.to_string())).collect();
    }
    let ty = |ty: &Value| {
        let ty = ty.as_str().expect("a type");
        json!(ty.strip_prefix("file://").unwrap_or(ty).rsplit('/').next())
    };
    let of = |name: &String| names[name].clone();
    json!({
        "graph": requires.iter().map(|(name, on)| (of(name), on.clone())).collect::<Map<_, _>>(),
        "types": types.iter().map(|(name, kind)| (of(name), ty(kind))).collect::<Map<_, _>>(),
        "nested": nested.into_iter().flatten()
            .map(|(name, graph)| (of(name), comparable(graph))).collect::<Map<_, _>>(),
    })
}

/// Heat's `short_id`: twelve characters of base 32.
fn is_by_chance(name: &str) -> bool {
    name.len() == 12 && name.bytes().all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte))
}

/// How our graph of the template differs from Heat's `answer`.
pub(crate) fn difference(case: &Case, answer: &Value) -> Option<String> {
    let ours = serde_json::to_value(Graph::of(&case.load())).expect("JSON");
    let (ours, theirs) = (comparable(&ours), comparable(answer));
    (ours != theirs).then(|| format!("{}:\n  ours  {ours}\n  Heat's {theirs}", case.name()))
}
