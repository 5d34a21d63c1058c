//! Two servers, one value: the smallest topology in which something waits for something.
//!
//! ```text
//! alice runs Greeter ── greeting ──▶ bob runs Listener
//! ```
//!
//! Heat boots both servers at once. The recipe on `bob` starts when the one on `alice` has written its greeting.

use wattle::prelude::*;
use wattle_catalog::nova;

/// A component is software on a server: what it reads, what it writes, and the recipe that installs it.
#[component(recipe = "recipes/greet.sh")]
pub struct Greeter {
    /// Whom to greet. An input with a default need not be wired.
    #[input(default = "world")]
    name: String,

    /// The greeting. If `recipes/greet.sh` does not write it, this line does not compile.
    #[output]
    greeting: String,
}

/// Hears a greeting.
#[component(recipe = "recipes/listen.sh")]
pub struct Listener {
    /// What to hear. If it is not wired, the blueprint does not compile.
    #[input]
    greeting: String,
}

/// Parameters are chosen when the stack is deployed: they stay parameters in the template.
#[derive(Parameters)]
pub struct Settings {
    /// Image of both servers.
    #[parameter(default = "debian-12", constraint = "glance.image")]
    image: Parameter<String>,
    /// Network on which the servers are.
    #[parameter(default = "private", constraint = "neutron.network")]
    network: Parameter<String>,
}

/// A blueprint is a function: parameters in, a topology built, exports out.
#[blueprint]
pub fn hello(t: &mut Topology, p: Settings) -> Exports {
    // Resources are what Heat creates.
    let [alice, bob] = ["alice", "bob"]
        .map(|name| t.add(name, nova::Server::new().image(p.image).flavor("m1.small").network(p.network)));

    // `run` returns the component's outputs. They are not values yet, but they can be wired.
    let greeter = t.on(alice).run("greeter", Greeter::new().name("bob"));
    t.on(bob).run("listener", Listener::new().greeting(greeter.greeting));

    // Exports are what the operator is shown, and what other stacks can import.
    Exports::new().entry("greeting", greeter.greeting)
}
