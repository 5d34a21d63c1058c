use wattle::prelude::*;
use wattle_catalog::nova;

/// Where a service listens.
#[derive(PortType)]
pub struct Listen {
    host: String,
    port: u16,
}

/// An application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    /// Where its database is.
    #[input]
    database: String,
    /// How often it is asked.
    #[input(default = 1)]
    weight: u16,
    /// Where it is served.
    #[output(dynamic)]
    listen: Listen,
    /// The same as text.
    #[output]
    url: Url,
}

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    /// How many.
    count: Parameter<u32>,
}

#[blueprint]
pub fn site(t: &mut Topology, p: Settings) {
    let server = t.add("app", nova::Server::new().image("debian-12").flavor("m1.large"));
    let app = t.on(server).run("app", App::new().database("db:50000"));
    t.on(server).run("other", App::new().database(text!("{}:1", app.listen.host)));
}

fn main() {}
