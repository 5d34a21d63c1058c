//! The native lowering from Heat's view.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use wattle::check::Limits;
use wattle::graph::{Graph, Node};
use wattle::lower::Lowering;
use wattle::lower::native::{Lowered, lower};
use wattle::model::Model;

use crate::oracle::Oracle;

/// The limits that `check` applies to this lowering.
#[must_use]
pub fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.lowering = Lowering::HeatNative;
    limits
}

/// The name of a component's deployment.
#[must_use]
pub fn deployment(key: &str) -> String {
    key.replace('/', ".")
}

/// Writes the template, and returns its path.
///
/// # Panics
/// The file cannot be written.
#[must_use]
pub fn write(lowered: &Lowered, folder: &Path, json: bool) -> PathBuf {
    let path = folder.join(if json { "template.json" } else { "template.yaml" });
    let mut file = File::create(&path).expect("a new file");
    let emitted = if json {
        wattle::emit::json(&lowered.template, &mut file)
    } else {
        wattle::emit::yaml(&lowered.template, &mut file)
    };
    emitted.expect("emits");
    path
}

/// Checks that Heat accepts the lowered model, in both formats, and orders its components exactly as the model does.
///
/// # Panics
/// A check fails.
pub fn heat_takes(oracle: &mut Oracle, model: &Model) {
    let lowered = lower(model);
    let [yaml, json] = [false, true].map(|json| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let answer = oracle.validate(&write(&lowered, folder.path(), json));
        assert_eq!(answer["ok"], true, "Heat refuses `{}`: {}: {}", model.stack, answer["error"], answer["message"]);
        answer["graph"].clone()
    });
    assert_eq!(yaml, json, "{}", model.stack);
    let heat: BTreeMap<String, Vec<String>> = serde_json::from_value(yaml).expect("a graph");

    let components: BTreeSet<String> = model.components.keys().map(|key| deployment(key)).collect();
    let mut own: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (from, _, to) in Graph::of(model).edges() {
        if let (Node::Component(from, _), Node::Component(to, _)) = (from, to) {
            own.entry(deployment(from)).or_default().push(deployment(to));
        }
    }
    assert_eq!(paths(&components, &heat), paths(&components, &own), "{}", model.stack);
    for (key, component) in &model.components {
        assert!(heat[&deployment(key)].contains(&component.server.to_string()), "{key} is on no server");
    }
}

/// Which of `names` can reach which others.
fn paths(names: &BTreeSet<String>, next: &BTreeMap<String, Vec<String>>) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for start in names {
        let (mut open, mut seen) = (vec![start], HashSet::new());
        while let Some(name) = open.pop() {
            for to in next.get(name).into_iter().flatten() {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        found.extend(seen.into_iter().filter(|to| names.contains(*to)).map(|to| (start.clone(), to.clone())));
    }
    found
}
