use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    /// URL of its database.
    #[input]
    database: String,
    /// Its own URL.
    #[output]
    url: Url,
}

#[blueprint]
pub fn connections(t: &mut Topology) {
    t.add("app", App::new().database("wikis"));
}

fn main() {}
