use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    #[parameter(default = "passw0rd")]
    password: Parameter<Secret<String>>,
}

fn main() {}
