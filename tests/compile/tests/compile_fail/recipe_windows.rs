use wattle::prelude::*;

/// A web server.
#[component(recipe = "recipes/crlf.sh")]
pub struct Web {
    #[output]
    url: String,
}

fn main() {}
