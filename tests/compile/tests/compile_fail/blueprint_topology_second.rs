use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    image: Parameter<String>,
}

#[blueprint]
pub fn connections(p: Settings, t: &mut Topology) {
    let _ = (t, p.image);
}

fn main() {}
