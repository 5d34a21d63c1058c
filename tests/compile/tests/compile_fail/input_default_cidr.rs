use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    #[input(default = "10.0.0.0")]
    database: Cidr,
    #[output]
    url: Url,
}

fn main() {}
