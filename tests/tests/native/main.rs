//! Heat's own way: software as configs and deployments, against Heat's own engine and its own agents.

mod agents;
mod engine;
mod server;

use std::fs::File;
use std::path::{Path, PathBuf};

use wattle::author::Blueprint;
use wattle::lower::native::Lowered;
use wattle::model::Model;

fn examples() -> [Model; 3] {
    [
        hello::hello.model(Default::default()),
        three_tier::three_tier.model(Default::default()),
        connections::connections.model(Default::default()),
    ]
}

fn write(lowered: &Lowered, folder: &Path, json: bool) -> PathBuf {
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

/// The deployment of a component.
fn deployment(key: &str) -> String {
    key.replace('/', ".")
}
