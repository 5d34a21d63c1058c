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

pub struct Cell;

pub struct CellOutputs {
    url: Output<Url>,
    server: nova::Server,
}

impl Module for Cell {
    type Outputs = CellOutputs;

    fn build(self, t: &mut Topology) -> CellOutputs {
        let server = t.add("node", nova::Server::new().image("debian-12").flavor("m1.large"));
        CellOutputs { server }
    }
}

fn main() {}
