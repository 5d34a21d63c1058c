use wattle::prelude::*;

/// Not derived.
pub struct Settings {
    image: Parameter<String>,
}

#[blueprint]
pub fn connections(_: &mut Topology, p: Settings) {
    let _ = p.image;
}

fn main() {}
