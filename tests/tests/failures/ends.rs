//! The expected end of everything.

use serde_json::Value as Json;
use wattle::model::Value;
use wattle_agent_core::time::Time;
use wattle_runtime::space::{Content, Failure, FailureKind, State};

use crate::play::One;
use crate::stack::{Machine, Stack};

/// A root cause.
pub(crate) struct Root {
    /// The failed component, as `SERVER/COMPONENT`.
    pub(crate) component: &'static str,
    pub(crate) kind: FailureKind,
    /// A part of its message.
    pub(crate) message: &'static str,
    /// The last lines of the recipe's output.
    pub(crate) log: Vec<&'static str>,
}

/// Asserts that every component has ended with the right value or the right root cause, that nothing is lost, and that
/// nothing that was finished ran again.
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

/// The records of a component in the journal, in order.
pub(crate) fn records(stack: &Stack, one: &One) -> Vec<String> {
    about(stack.machine(&one.server), one).into_iter().map(|(kind, _)| kind).collect()
}

fn about(machine: &Machine, one: &One) -> Vec<(String, Json)> {
    let journal = machine.journal().into_iter();
    journal.filter(|(_, about)| about["component"] == one.name.as_str()).collect()
}

/// The input of each run of a component on a machine, and its revision.
pub(crate) fn heard(machine: &Machine, one: &One) -> Vec<(u64, String)> {
    let heard = |(kind, about): (String, Json)| {
        let text = about["inputs"]["heard"]["value"].as_str();
        (kind == "started").then(|| (about["revision"]["number"].as_u64().unwrap(), text.unwrap().to_owned()))
    };
    about(machine, one).into_iter().filter_map(heard).collect()
}

/// The last start of a component, according to the journal.
pub(crate) fn started(stack: &Stack, component: &str) -> Time {
    let one = stack.play.find(component);
    let is_it = |(kind, about): &(String, Json)| kind == "started" && about["component"] == one.name.as_str();
    let (_, about) = stack.journal(&one.server).into_iter().rfind(is_it).expect("it was started");
    about["at"].as_str().unwrap().parse().unwrap()
}

/// Asserts that no finished component was started again, and that nothing was started without a record, on any machine
/// of the server.
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
                        // A finished component runs again if its inputs have changed, and a failed one in another
                        // revision.
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

/// Like [`hold`], but also asserts that everything ran only once, because no agent was killed.
pub(crate) fn hold_once(stack: &Stack, root: Option<&Root>) {
    hold(stack, root);
    for one in &stack.play.acts {
        assert!(stack.counted("begun", &one.path()) <= 1, "{} ran twice", one.path());
    }
}
