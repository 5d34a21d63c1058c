use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    #[parameter(default = "two")]
    nodes: Parameter<u8>,
}

fn main() {}
