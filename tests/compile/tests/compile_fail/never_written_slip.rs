use wattle::prelude::*;

/// A web server.
#[component(recipe = "recipes/slip.sh")]
pub struct Web {
    #[output]
    url: String,
}

fn main() {}
