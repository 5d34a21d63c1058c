use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    #[input(default = "localhost/wikis")]
    database: Url,
    #[output]
    url: Url,
}

fn main() {}
