use wattle::prelude::*;

/// An application.
#[component(recipe = "recipes/map.yml")]
pub struct App {
    /// Where it is served.
    #[output]
    url: Url,
}

fn main() {}
