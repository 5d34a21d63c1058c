use wattle::prelude::*;

/// A node.
#[derive(PortType)]
pub struct Node {
    id: std::rc::Rc<String>,
}

fn main() {}
