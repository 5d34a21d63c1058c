use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    #[parameter(defualt = "debian-12")]
    image: Parameter<String>,
}

fn main() {}
