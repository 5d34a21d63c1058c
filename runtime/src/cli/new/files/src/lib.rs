//! The blueprint `BLUEPRINT`: which servers there are, and what runs on them.

use wattle::prelude::*;
use wattle_catalog::nova;

/// Software on a server: what it reads, what it writes, and the recipe that installs it.
#[component(recipe = "recipes/greeter.sh")]
pub struct Greeter {
    /// Whom to greet.
    #[input]
    name: String,
    /// The greeting.
    #[output]
    greeting: String,
}

/// Chosen when the stack is deployed: each field is a parameter of the template.
#[derive(Parameters)]
pub struct Settings {
    /// Image of the servers.
    #[parameter(default = "debian-12", constraint = "glance.image")]
    image: Parameter<String>,
    /// An existing network with a subnet.
    #[parameter(default = "private", constraint = "neutron.network")]
    network: Parameter<String>,
}

/// One server that greets.
#[blueprint]
pub fn BLUEPRINT(t: &mut Topology, p: Settings) -> Exports {
    let server = nova::Server::new().image(p.image).flavor("m1.small");
    let server = t.add("server", server.network(p.network));
    let greeter = t.on(server).run("greeter", Greeter::new().name("world"));
    Exports::new().entry("greeting", greeter.greeting)
}
