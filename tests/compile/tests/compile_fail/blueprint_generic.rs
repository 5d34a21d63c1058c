use wattle::prelude::*;

#[blueprint]
pub fn connections<T>(_: &mut Topology, _: T) {}

fn main() {}
