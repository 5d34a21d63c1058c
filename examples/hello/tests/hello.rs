//! What `hello` does once it is deployed.

use ::hello::{Greeter, Listener, hello};
use wattle::testing::{Given, Outputs, Trial};

fn trial() -> Trial {
    Trial::of(hello)
        .fake(|it: Given<Greeter>| Outputs::<Greeter> { greeting: format!("hello, {}", it.name) })
        .fake(|_: Given<Listener>| Outputs::<Listener> {})
}

#[test]
fn bob_hears_what_alice_says() {
    trial().schedules(0..100, |run| {
        run.component("bob/listener").waits_for("alice/greeter").started_after("alice/greeter").succeeded();
        assert_eq!(run.component("bob/listener").inputs::<Listener>().greeting, "hello, bob");
        assert_eq!(run.export::<String>("greeting"), "hello, bob");
    });
}

#[test]
fn without_alice_bob_is_told_why() {
    let run = trial().failing("alice/greeter", "she is not in the mood").run();
    run.component("bob/listener").never_started().failed_because_of("alice/greeter");
}

#[test]
fn heat_boots_both_at_once() {
    let stack = trial().stack();
    for server in ["alice", "bob"] {
        stack.resource(server).nothing_requires_it();
        assert_eq!(stack.resource(server).property("image")["get_param"], "image");
    }
}
