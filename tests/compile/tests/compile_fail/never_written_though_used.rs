use wattle::prelude::*;
use wattle_catalog::nova;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    #[input]
    database: String,
    #[output]
    uri: Url,
}

#[blueprint]
pub fn connections(t: &mut Topology) -> Exports {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    let app = t.on(server).run("app", App::new().database("wikis"));
    Exports::new().entry("uri", app.uri)
}

fn main() {}
