use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/loop.sh")]
pub struct App {
    #[output]
    url: Url,
}

fn main() {}
