//! Tests of the blueprint. They simulate a deployment, with fakes in place of the recipes. Run them with `cargo test`.

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
