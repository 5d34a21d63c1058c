//! Requirements on values at run time, checked by agents before a recipe starts.

use std::time::Duration;

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_tests::running::{self, Stage};
use wattle_tests::say::Say;

/// What is said, and what is required of it.
#[derive(serde::Deserialize)]
#[serde(default)]
pub(crate) struct Words {
    first: String,
    least: u32,
}

impl Default for Words {
    fn default() -> Self {
        Self { first: "one".into(), least: 3 }
    }
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct TalkParameters {
    /// What must not be said.
    #[parameter(default = "nonsense")]
    forbidden: Parameter<String>,
}

/// Three servers say a word each, each after the previous one has said its word.
#[blueprint]
pub(crate) fn talk(t: &mut Topology, p: TalkParameters, words: Words) -> Exports {
    let on = ["a", "b", "c"].map(|name| t.add(name, nova::Server::new().image("debian-12").flavor("m1.small")));
    let first = t.on(on[0]).run("say", Say::new().word(words.first));
    let second = t.on(on[1]).run("say", Say::new().word("two").heard(first.said));
    let third = t.on(on[2]).run("say", Say::new().word("three").heard(second.said));
    let said = first.said.length(words.least..).and(first.said.is_not(p.forbidden));
    t.require("words of some length", said.because("short ones are lost in the noise"));
    Exports::new().entry("said", third.said)
}

fn stage(first: &str, least: u32) -> Stage {
    let model = talk.model(Words { first: first.into(), least });
    super::sound(&model);
    Stage::new(&model)
}

#[test]
fn a_component_does_not_start_on_values_that_are_not_as_required_and_says_why() {
    let stage = stage("no", 3);
    let mut up = stage.up(&[]);
    up.wait_for("1 is blocked", Duration::from_mins(1));
    let why = stage.ask(&["status", "--why"]);
    assert_eq!(why.code, Some(1), "{why}");
    insta::assert_snapshot!(running::without_times(&why.out));
    assert_eq!(stage.said("a"), ["no"]);
    assert!(stage.said("b").is_empty(), "its recipe was started");
    assert_eq!(up.interrupt(), Some(1), "{}", up.said());
}

#[test]
fn another_requirement_is_judged_and_runs_nothing_again() {
    let stage = stage("one", 3);
    let mut up = stage.up(&[]);
    up.wait_for("is up", Duration::from_mins(1));
    assert_eq!(stage.said("b"), ["two"]);

    // Another requirement that holds: there is a new revision, but nothing runs.
    stage.emit(&talk.model(Words { first: "one".into(), least: 2 }));
    let directory = stage.path().to_str().expect("text");
    let planned = stage.run_at(stage.path(), &["plan", directory]);
    assert_eq!(planned.code, Some(4), "{planned}");
    insta::assert_snapshot!("planned", planned.out);
    let renewed = stage.run(&["up"]);
    assert_eq!(renewed.code, Some(0), "{renewed}");
    assert!(renewed.err.contains("now revision 2"), "{renewed}");
    assert_eq!(stage.said("b"), ["two"]);

    // A requirement that does not hold: the component fails in this revision, and so do readers of its output.
    stage.emit(&talk.model(Words { first: "one".into(), least: 4 }));
    let refused = stage.run(&["up"]);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert_eq!(stage.said("b"), ["two"]);
    let get = stage.ask(&["get", "c/say/said"]);
    assert!(get.err.contains("the requirement `words of some length`"), "{get}");

    stage.emit(&talk.model(Words { first: "one".into(), least: 3 }));
    let fixed = stage.run(&["up"]);
    assert_eq!(fixed.code, Some(0), "{fixed}");
    assert_eq!(stage.said("b"), ["two"], "what it wrote is there already");
    assert_eq!(up.interrupt(), Some(0), "{}", up.said());
}

#[test]
fn a_parameter_of_it_is_known_to_agents() {
    let stage = stage("nonsense and more", 3);
    let mut up = stage.up(&["--parameter", "forbidden=nonsense and more"]);
    up.wait_for("1 is blocked", Duration::from_mins(1));
    assert!(up.said().contains("must not be `forbidden` (\"nonsense and more\")"), "{}", up.said());
    assert_eq!(up.interrupt(), Some(1), "{}", up.said());
}
