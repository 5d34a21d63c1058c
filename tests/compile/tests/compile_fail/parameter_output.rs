use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    image: Output<String>,
}

#[blueprint]
pub fn connections(t: &mut Topology, p: Settings) {
    let _ = (t, p.image);
}

fn main() {}
