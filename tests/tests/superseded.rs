//! A newer revision waits for running recipes, and the status reports that.

use std::time::Duration;

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::running::{self, Stage, eventually};

/// Says a word; at `hang` it never ends.
#[component(recipe = "recipes/hang.sh", deadline = "50m")]
pub struct Word {
    /// The word.
    #[input]
    word: String,

    /// The word.
    #[output]
    said: String,
}

/// What the server says.
#[derive(Deserialize)]
#[serde(default)]
pub struct Words {
    word: String,
}

impl Default for Words {
    fn default() -> Self {
        Self { word: "hang".into() }
    }
}

/// A server that says two words.
#[blueprint]
pub fn speech(t: &mut Topology, (): (), words: Words) -> Exports {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let a = t.add("a", nova::Server::new().image("debian-12").flavor("m1.small").network(net));
    let first = t.on(a).run("first", Word::new().word("one"));
    let second = t.on(a).run("second", Word::new().word(words.word));
    Exports::new().entry("first", first.said).entry("second", second.said)
}

fn model(word: &str) -> Model {
    speech.model(Words { word: word.into() })
}

#[test]
fn what_a_newer_revision_waits_for_is_reported() {
    let stage = Stage::new(&model("hang"));
    assert_eq!(stage.run(&["up", "-d"]).code, Some(0));
    eventually("it hangs", || stage.services("1017").len() == 1);
    eventually("its deadline is reported", || {
        let why = stage.ask(&["status", "--why"]).out;
        why.contains("a/second has been running for ") && why.contains("; its deadline is in 49m ")
    });

    stage.emit(&model("two"));
    let mut follower = stage.up(&[]);
    follower.wait_for("a still runs a/second of revision 1, since ", Duration::from_mins(1));
    let status = stage.ask(&["status"]);
    assert!(status.out.contains("! a still runs a/second of revision 1, since "), "{status}");
    let why = stage.ask(&["status", "--why"]);
    assert!(why.out.contains("● a still runs a/second of revision 1, since "), "{why}");
    assert!(why.out.contains("ago, its deadline in 49m "), "{why}");
    assert!(why.out.contains("a/first is held up by it"), "{why}");
    assert!(!why.out.contains("about to start"), "{why}");
    let entries = stage.ask(&["ls"]);
    assert!(entries.out.contains("one  (of revision 1)"), "{entries}");

    running::kill(stage.services("1017")[0]);
    assert_eq!(follower.ended(), Some(0), "{}", follower.said());
    let entries = stage.ask(&["ls"]);
    assert!(entries.out.contains("one") && !entries.out.contains("of revision"), "{entries}");
    assert_eq!(stage.ask(&["get", "a/second/said"]).out, "two\n");
    assert_eq!(stage.ask(&["get", "a/second/said", "--revision", "2"]).out, "two\n");
    for wait in [&[][..], &["--wait"]] {
        let gone = stage.ask(&[&["get", "a/second/said", "--revision", "1"], wait].concat());
        let reported = "`a/second/said` is already of revision 2: its value of revision 1 is gone";
        assert!(gone.code == Some(1) && gone.err.contains(reported), "{gone}");
    }
    let early = stage.ask(&["get", "a/second/said", "--revision", "3"]);
    assert!(early.err.contains("`a/second/said` has no value of revision 3 yet"), "{early}");
}
