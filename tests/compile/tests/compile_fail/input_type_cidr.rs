use wattle::prelude::*;
use wattle_catalog::nova;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    /// From where its database is reached.
    #[input]
    database: Cidr,
    /// Its own URL.
    #[output]
    url: String,
}

#[blueprint]
pub fn connections(t: &mut Topology) {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    let first = t.on(server).run("first", App::new().database("10.0.0.0/24"));
    t.on(server).run("second", App::new().database(first.url));
}

fn main() {}
