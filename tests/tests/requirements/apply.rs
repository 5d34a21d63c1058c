//! Requirements on parameters. `seed apply` checks them before it writes anything.

use std::sync::Arc;

use wattle::prelude::*;
use wattle_runtime::seed::{Options, SeedError, apply};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::{Memory, Store};
use wattle_tests::running::Stage;
use wattle_tests::seeds::{nodes, seed};

use super::{of, sound};

fn required() -> wattle::model::Model {
    of(|t, p| {
        t.require("enough memory", p.memory.at_least(2048).because("the database does not start with less"));
        t.require("a majority", p.voters.at_most(p.nodes));
        t.require("zones", p.zones.every(|zone| zone.is_not(p.name)));
        t.require("password", p.password.length(12..).and(p.password.is_not(p.name)));
    })
}

#[tokio::test]
async fn all_that_does_not_hold_is_reported_at_once_and_nothing_is_written() {
    let model = required();
    sound(&model);
    let (seed, store): (_, Arc<dyn Store>) = (seed(&model), Arc::new(Memory::new()));
    let mut options = Options::new(OperatorKey::generate());
    for (name, value) in [("memory", "1024"), ("voters", "5"), ("zones", "north,shop"), ("password", "hunter2")] {
        options.given.set(name, value.into());
    }
    let Err(SeedError::Parameters { missing, faults }) = apply(&store, &seed, &options).await else {
        panic!("takes it")
    };
    assert!(missing.is_empty(), "{missing:?}");
    let reported = faults.join("\n");
    assert!(!reported.contains("hunter2"), "{reported}");
    insta::assert_snapshot!(reported);
    assert!(nodes(&store).await.is_empty(), "something was written");

    let right = [("memory", "2048"), ("voters", "3"), ("zones", "north,south"), ("password", "hunter2hunter2")];
    for (name, value) in right {
        options.given.set(name, value.into());
    }
    apply(&store, &seed, &options).await.expect("all holds");
}

#[tokio::test]
async fn what_nobody_else_judges_must_be_known() {
    let seed = seed(&of(|t, p| t.require("password", p.password.is_not(p.name))));
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let refused = apply(&store, &seed, &Options::new(OperatorKey::generate())).await;
    let Err(SeedError::Parameters { missing, faults }) = refused else { panic!("takes it") };
    assert_eq!((missing.len(), faults.len()), (1, 0), "{missing:?} {faults:?}");

    // Heat checks its own part when it creates the stack.
    let seed = wattle_tests::seeds::seed(&of(|t, p| t.require("password", p.password.length(12..))));
    apply(&store, &seed, &Options::new(OperatorKey::generate())).await.expect("waits for Heat");
}

#[test]
fn the_command_says_it() {
    let stage = Stage::new(&required());
    let up = stage.run(&["up", "--until-done", "--parameter", "voters=5", "--parameter", "password=hunter2hunter2"]);
    assert_eq!(up.code, Some(2), "{up}");
    let text = up.err.replace(&stage.path().display().to_string(), "DIR");
    insta::assert_snapshot!(text);
}
