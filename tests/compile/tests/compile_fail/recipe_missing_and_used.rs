use wattle::prelude::*;
use wattle_catalog::nova;

/// Wikis.
#[component(recipe = "recipes/wikis.sh")]
pub struct Wikis {
    #[input]
    database: String,
    #[output]
    url: Url,
}

#[blueprint]
pub fn connections(t: &mut Topology) -> Exports {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    let wikis = t.on(server).run("wikis", Wikis::new().database("x"));
    Exports::new().entry("url", wikis.url)
}

fn main() {}
