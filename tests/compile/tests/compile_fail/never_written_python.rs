use wattle::prelude::*;

/// A web server, of which `url` is written by a Python program.
#[component(recipe = "recipes/python.sh")]
pub struct Web {
    #[output]
    url: String,
    #[output]
    port: u16,
}

fn main() {}
