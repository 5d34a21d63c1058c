use wattle::prelude::*;
use wattle_catalog::nova;

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
    for node in ["node1", "node2"] {
        let node = t.add(node, nova::Server::new().image("debian-12").flavor("m1.large"));
        t.on(node).run("app", App::new());
    }
}

fn main() {}
