use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    #[parameter(default = 9, min = 1, max = 5)]
    nodes: Parameter<u8>,
    #[parameter(min = 8)]
    password: Parameter<Secret<String>>,
    #[parameter(default = "huge", allowed = ["small", "large"])]
    size: Parameter<String>,
}

fn main() {}
