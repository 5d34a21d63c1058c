use wattle::prelude::*;

/// A web server.
#[component(recipe = "recipes/web.v2.sls")]
pub struct Web {
    #[output]
    url: Url,
}

fn main() {}
