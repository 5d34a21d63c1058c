use wattle::prelude::*;

#[blueprint]
pub async fn connections(_: &mut Topology) {}

fn main() {}
