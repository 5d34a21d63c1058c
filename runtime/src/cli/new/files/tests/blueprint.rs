//! What becomes of the blueprint once it is deployed, with fakes for what its recipes do: `cargo test`.

use ::BLUEPRINT::{Greeter, BLUEPRINT};

use wattle::testing::{Given, Outputs, Trial};

#[test]
fn the_world_is_greeted() {
    let trial = Trial::of(BLUEPRINT).fake(|it: Given<Greeter>| Outputs::<Greeter> {
        greeting: format!("hello, {}", it.name),
    });
    let run = trial.run();
    run.component("server/greeter").succeeded();
    assert_eq!(run.export::<String>("greeting"), "hello, world");
}
