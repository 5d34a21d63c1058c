use wattle::prelude::*;

#[blueprint]
pub fn connections(t: Topology) -> Exports {
    let _ = t;
    Exports::new()
}

fn main() {
    let _ = wattle::author::Blueprint::model(&connections, Default::default());
}
