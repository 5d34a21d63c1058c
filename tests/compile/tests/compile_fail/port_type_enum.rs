use wattle::prelude::*;

/// A size.
#[derive(PortType)]
pub enum Size {
    Small,
}

fn main() {}
