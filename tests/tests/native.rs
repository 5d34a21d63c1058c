//! Heat's own way: software as configs and deployments, against Heat's own engine.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use wattle::author::Blueprint;
use wattle::graph::{Graph, Node};
use wattle::lower::native::{self, lower};
use wattle::model::Model;
use wattle_tests::oracle::Oracle;

fn examples() -> [Model; 3] {
    [
        hello::hello.model(Default::default()),
        three_tier::three_tier.model(Default::default()),
        connections::connections.model(Default::default()),
    ]
}

fn write(lowered: &native::Lowered, folder: &Path, json: bool) -> PathBuf {
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

/// Heat's dependency graph of what a model becomes, which it takes in both formats.
fn accepted(oracle: &mut Oracle, model: &Model) -> BTreeMap<String, Vec<String>> {
    let lowered = lower(model);
    let [yaml, json] = [false, true].map(|json| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let answer = oracle.validate(&write(&lowered, folder.path(), json));
        assert_eq!(answer["ok"], true, "Heat refuses `{}`: {}: {}", model.stack, answer["error"], answer["message"]);
        answer["graph"].clone()
    });
    assert_eq!(yaml, json, "{}", model.stack);
    serde_json::from_value(yaml).expect("a graph")
}

/// What is reached from each of `starts`, among `ends`.
fn paths(starts: &BTreeSet<String>, next: &BTreeMap<String, Vec<String>>) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for start in starts {
        let (mut open, mut seen) = (vec![start], HashSet::new());
        while let Some(name) = open.pop() {
            for to in next.get(name).into_iter().flatten() {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        found.extend(seen.into_iter().filter(|to| starts.contains(*to)).map(|to| (start.clone(), to.clone())));
    }
    found
}

fn deployment(key: &str) -> String {
    key.replace('/', ".")
}

/// Heat orders components exactly as the model does.
fn assert_same_order(model: &Model, heat: &BTreeMap<String, Vec<String>>) {
    let components: BTreeSet<String> = model.components.keys().map(|key| deployment(key)).collect();
    let mut own: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (from, _, to) in Graph::of(model).edges() {
        if let (Node::Component(from, _), Node::Component(to, _)) = (from, to) {
            own.entry(deployment(from)).or_default().push(deployment(to));
        }
    }
    assert_eq!(paths(&components, heat), paths(&components, &own), "{}", model.stack);
}

#[test]
fn heat_takes_every_example_and_orders_it_as_the_model_does() {
    let mut oracle = Oracle::start();
    for model in examples() {
        let graph = accepted(&mut oracle, &model);
        assert_same_order(&model, &graph);
    }
}
