use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/broken.sh")]
pub struct App {
    #[output]
    url: Url,
}

fn main() {}
