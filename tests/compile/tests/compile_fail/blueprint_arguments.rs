use wattle::prelude::*;

#[blueprint]
pub fn connections(_: &mut Topology, _: (), _: (), _: u8) {}

fn main() {}
