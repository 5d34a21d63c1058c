use wattle::prelude::*;

#[blueprint]
pub struct Connections;

fn main() {}
