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

struct Cell;

struct CellOutputs {
    url: Output<Url>,
}

impl Module for Cell {
    type Outputs = CellOutputs;

    fn build(self, t: &mut Topology) -> CellOutputs {
        let node = t.add("node", nova::Server::new().image("debian-12").flavor("m1.large"));
        let app = t.on(node).run("app", App::new().database("wikis"));
        CellOutputs { url: app.url }
    }
}

#[blueprint]
pub fn connections(t: &mut Topology) {
    let apps = t.add("apps", Cell);
    let _ = apps.uri;
}

fn main() {}
