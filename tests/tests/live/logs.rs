//! `wattle logs` shows the log of a remote server, with real agents and the real command, for each kind of data space.

use std::fs;
use std::time::Duration;

use wattle_tests::running::{Ran, Stage, eventually};
use wattle_tests::zookeeper::ZooKeeper;

use crate::stack::{PASSWORD, Shown, held};
use crate::zookeeper::{Agents, applied};

const PATIENCE: Duration = Duration::from_mins(1);

/// A stack whose first component prints its secret, waits to be released, and then prints a flood of lines.
struct Case<'s> {
    stage: &'s Stage,
    /// The options that select the data space.
    place: Vec<String>,
    /// The state folder of the software on the server `a`.
    state: String,
}

impl Case<'_> {
    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        args.iter().copied().chain(self.place.iter().map(String::as_str)).collect()
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.stage.run_at(self.stage.path(), &self.args(args))
    }

    fn check(&self) {
        // Existing lines are shown, and the command ends.
        let masked = "the password is ***";
        eventually("it has said something", || self.run(&["logs", "a/first"]).out.contains(masked));
        let once = self.run(&["logs", "a/first"]);
        assert_eq!(once.code, Some(0), "{once}");
        assert!(once.out.lines().any(|line| line.ends_with(" INFO the password is ***")), "{once}");
        assert!(!once.out.contains("component="), "{once}");
        let last = self.run(&["logs", "a/first", "--lines", "1"]);
        assert_eq!(last.out.lines().count(), 1, "{last}");
        let all = self.run(&["logs", "a"]);
        assert!(all.out.contains("agent starts") && all.out.contains(" component=a/first\n"), "{all}");

        // Lines are shown as they arrive, as many of the flood as possible, and none of another component.
        let mut follows = self.stage.start_at(self.stage.path(), &self.args(&["logs", "a/first", "--follow"]));
        follows.wait_for(masked, PATIENCE);
        assert!(!follows.said().contains("a last word"), "{}", follows.said());
        let mut beside = self.stage.start_at(self.stage.path(), &self.args(&["logs", "c/third", "--follow"]));
        beside.wait_for("waits for `b/second/token`", PATIENCE);
        fs::write(format!("{}/go", self.state), "").expect("writes");
        follows.wait_for("a last word", PATIENCE);
        follows.wait_for(" INFO done", PATIENCE);
        beside.wait_for(" INFO done", PATIENCE);
        let said = follows.said();
        assert!(said.contains("faster than they are passed on"), "{} bytes", said.len());
        assert!(!said.contains("c/third") && said.len() < 1 << 20, "{} bytes", said.len());
        for follows in [&mut follows, &mut beside] {
            assert_eq!(follows.interrupt(), Some(0), "{}", follows.said());
            assert!(!follows.said().contains(PASSWORD), "{}", follows.said());
        }
        for shown in [&once, &all, &last, &self.run(&["logs", "a"])] {
            assert!(!format!("{shown}").contains(PASSWORD), "{shown}");
        }

        for (of, words) in
            [("d", "has no server `d`"), ("a/frist", "did you mean `first`?"), ("../a", "has no server `..`")]
        {
            let wrong = self.run(&["logs", of]);
            assert!(wrong.code == Some(2) && wrong.err.contains(words), "{of}: {wrong}");
        }
    }
}

#[test]
fn the_log_of_a_server_is_shown_in_the_embedded_store() {
    let shown = Shown::held_loud();
    let place = ["--dir", &shown.stage.path().display().to_string()].map(str::to_owned).into();
    let state = shown.stage.path().join(".wattle/servers/a/state").display().to_string();
    Case { stage: &shown.stage, place, state }.check();
}

#[test]
fn the_log_of_a_server_is_shown_in_zookeeper() {
    let zookeeper = ZooKeeper::start(1);
    let model = held("loud");
    let stage = Stage::new(&model);
    let credentials = applied(&stage, &model, &zookeeper.address());
    let key = stage.path().join("operator.key").display().to_string();
    let place = ["--space", &zookeeper.address(), "--stack", "secrets", "--key", &key].map(str::to_owned).into();
    let case = Case { stage: &stage, place, state: stage.path().join("a/state").display().to_string() };
    let nobody = case.run(&["logs", "a/first"]);
    assert_eq!(nobody.code, Some(1), "{nobody}");
    for words in ["no agent acts for `a`: it has not started", "wattle logs a --console", "journalctl -u wattle-agent"]
    {
        assert!(nobody.err.contains(words), "{nobody}");
    }
    // A follower waits for the stack.
    let mut early = stage.start_at(stage.path(), &case.args(&["logs", "a/first", "--follow"]));
    early.wait_for("waiting for `a`, until Ctrl-C", PATIENCE);
    let agents = Agents::start(&stage, &zookeeper.address(), &credentials);
    early.wait_for("the password is ***", PATIENCE);
    assert_eq!(early.interrupt(), Some(0), "{}", early.said());
    case.check();
    drop(agents);
}
