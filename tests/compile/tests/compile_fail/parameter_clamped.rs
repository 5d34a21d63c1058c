use wattle::prelude::*;
use wattle_catalog::{neutron, nova};

/// An application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    /// URL of its database.
    #[input]
    database: String,
    /// Where it is served.
    #[output]
    url: Url,
    /// Its port.
    #[output(dynamic)]
    port: u16,
}

#[derive(Parameters)]
pub struct Settings {
    /// How many servers.
    count: Parameter<u32>,
    /// Where they are.
    zones: Parameter<Vec<String>>,
}

#[blueprint]
pub fn site(t: &mut Topology, p: Settings) {
    let net = t.add("net", neutron::Net::new());
    let server = t.add("app", nova::Server::new().image("debian-12").flavor("m1.large").network(net));
    let app = t.on(server).run("app", App::new().database("db:50000"));
    let _ = p.count.clamp(1, 3);
}

fn main() {}
