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

struct Cell {
    nodes: usize,
}

impl Module for Cell {
    type Outputs = Output<Url>;

    fn build(self, t: &mut Topology) -> Output<Url> {
        let node = t.add("node", nova::Server::new().image("debian-12").flavor("m1.large"));
        t.on(node).run("app", App::new()).url
    }
}

fn main() {}
