//! The required results.

use serde_json::Value as Json;
use wattle::model::Value;
use wattle_agent_core::time::Time;
use wattle_runtime::space::{Content, Failure, FailureKind, State};

use crate::play::One;
use crate::stack::{Machine, Stack};

/// A failure that is no other's.
pub(crate) struct Root {
    /// Whose, as `SERVER/COMPONENT`.
    pub(crate) component: &'static str,
    pub(crate) kind: FailureKind,
    /// What its message says, among others.
    pub(crate) message: &'static str,
    /// The last lines that the recipe said.
    pub(crate) log: Vec<&'static str>,
}

/// Every component has ended with the right value, or the failure that is at its root; nothing is lost, and nothing that
/// was finished ran again.
pub(crate) fn hold(stack: &Stack, root: Option<&Root>) {
    for one in &stack.play.acts {
        match root.filter(|root| fails(stack, one, root)) {
            None => done(stack, one),
            Some(root) => failed(stack, one, root),
        }
        ran_once(stack, one);
    }
}

fn fails(stack: &Stack, one: &One, root: &Root) -> bool {
    one.path() == root.component || stack.play.needs(one).into_iter().any(|before| fails(stack, before, root))
}

fn done(stack: &Stack, one: &One) {
    let path = one.path();
    let status = stack.status(&path).unwrap();
    assert_eq!(status.state, State::Done, "{path}\n{}", stack.log(&one.server));
    let value = |output: &str| stack.entry(&format!("{path}/{output}"));
    assert_eq!(value("said"), Some(Content::Value(stack.play.said(one).into())), "{path}");
    assert_eq!(value("count"), Some(Content::Value(Value::Integer(stack.play.count(one)))), "{path}");
    let kinds = records(stack, one);
    assert!(kinds.iter().any(|kind| kind == "finished"), "{path}: {kinds:?}");
    assert!(stack.counted("ended", &path) >= 1, "{path}");
}

fn failed(stack: &Stack, one: &One, root: &Root) {
    let path = one.path();
    let right = |failure: &Failure| {
        assert_eq!((&*failure.component, failure.kind), (root.component, root.kind), "{path}: {failure:?}");
        assert!(failure.message.contains(root.message), "{path}: {failure:?}");
        assert!(failure.log.iter().map(String::as_str).eq(root.log.iter().copied()), "{path}: {failure:?}");
        let last = failure.through.last().map(ToString::to_string);
        assert_eq!(last, (path != root.component).then(|| path.clone()), "{failure:?}");
    };
    let status = stack.status(&path).unwrap();
    let State::Failed(failure) = &status.state else { panic!("{path}: {status:?}\n{}", stack.log(&one.server)) };
    right(failure);
    for output in ["said", "count"] {
        let there = stack.entry(&format!("{path}/{output}"));
        let Some(Content::Failure(failure)) = &there else { panic!("{path}/{output}: {there:?}") };
        right(failure);
    }
    let kinds = records(stack, one);
    assert_eq!(kinds.last().map(String::as_str), Some("failed"), "{path}");
    assert!(!kinds.iter().any(|kind| kind == "finished"), "{path}: {kinds:?}");
}

/// What the journal says of a component, in its order.
pub(crate) fn records(stack: &Stack, one: &One) -> Vec<String> {
    about(stack.machine(&one.server), one).into_iter().map(|(kind, _)| kind).collect()
}

fn about(machine: &Machine, one: &One) -> Vec<(String, Json)> {
    let journal = machine.journal().into_iter();
    journal.filter(|(_, about)| about["component"] == one.name.as_str()).collect()
}

/// What each run of a component on a machine has heard, and the revision in which it was.
pub(crate) fn heard(machine: &Machine, one: &One) -> Vec<(u64, String)> {
    let heard = |(kind, about): (String, Json)| {
        let text = about["inputs"]["heard"]["value"].as_str();
        (kind == "started").then(|| (about["revision"]["number"].as_u64().unwrap(), text.unwrap().to_owned()))
    };
    about(machine, one).into_iter().filter_map(heard).collect()
}

/// When a component was last started, by the journal.
pub(crate) fn started(stack: &Stack, component: &str) -> Time {
    let one = stack.play.find(component);
    let is_it = |(kind, about): &(String, Json)| kind == "started" && about["component"] == one.name.as_str();
    let (_, about) = stack.journal(&one.server).into_iter().rfind(is_it).expect("it was started");
    about["at"].as_str().unwrap().parse().unwrap()
}

/// Nothing was begun that had ended, and nothing without the journal's knowing, on any machine that the server had.
fn ran_once(stack: &Stack, one: &One) {
    let path = one.path();
    for (number, machine) in stack.machines(&one.server).iter().enumerate() {
        let records = about(machine, one);
        let kinds: Vec<&str> = records.iter().map(|(kind, _)| &**kind).collect();
        let log = || format!("{path}, machine {number}: {kinds:?}\n{}", machine.log());
        let (mut last, mut runs): (Option<&(String, Json)>, bool) = (None, false);
        for record @ (kind, about) in &records {
            match kind.as_str() {
                "started" => {
                    if let Some((before, ended)) = last {
                        // What it is given may have changed, and what has failed is tried again in another revision.
                        let what = if before == "finished" { "fingerprint" } else { "revision" };
                        assert_ne!(about[what], ended[what], "it was started again: {}", log());
                    }
                    runs = true;
                }
                "finished" | "failed" => {
                    assert!(runs || kind == "failed", "it finished twice: {}", log());
                    (last, runs) = (Some(record), false);
                }
                _ => {}
            }
        }
        let started = kinds.iter().filter(|kind| **kind == "started").count();
        let [begun, ended] = ["begun", "ended"].map(|point| machine.counted(point, &one.name));
        let all_are_known = ended <= begun && begun <= started;
        assert!(all_are_known, "{started} started, {begun} begun, {ended} ended: {}", log());
    }
}

/// As [`hold`], where no agent was killed: whatever ran did so once.
pub(crate) fn hold_once(stack: &Stack, root: Option<&Root>) {
    hold(stack, root);
    for one in &stack.play.acts {
        assert!(stack.counted("begun", &one.path()) <= 1, "{} ran twice", one.path());
    }
}
