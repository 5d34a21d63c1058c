use wattle::prelude::*;

/// A node.
#[derive(PortType)]
pub struct Node {
    children: Vec<Node>,
}

fn main() {}
