use wattle::prelude::*;

/// Forgot `#[blueprint]`.
pub fn connections(_: &mut Topology) {}

fn run(blueprint: impl wattle::author::Blueprint) {
    let _ = blueprint.at();
}

fn main() {
    run(connections);
}
