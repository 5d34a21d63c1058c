use wattle::prelude::*;

#[blueprint(name = "my stack")]
pub fn connections(_: &mut Topology) {}

fn main() {}
