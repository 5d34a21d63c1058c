use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/app.py")]
pub struct App {
    #[output]
    url: Url,
}

fn main() {}
