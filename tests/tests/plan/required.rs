//! The plan shows requirements, and no secret in them.

use wattle::model::Model;
use wattle::plan::{Action, Demanded, Plan, Run, plan};
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_tests::random::Anything;

use super::state;

#[derive(Parameters)]
struct Given {
    /// Megabytes.
    #[parameter(default = 4096)]
    memory: Parameter<u32>,
    /// A password.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// A component reads the output of another one.
fn model(require: impl FnOnce(&mut Topology, &Given, Output<String>)) -> Model {
    let mut t = Topology::new("demo");
    let given = <Given as wattle::author::Parameters>::declare(&mut t);
    let on = ["one", "two"].map(|name| t.add(name, nova::Server::new().image("debian-12").flavor("m1.small")));
    let writer = t.on(on[0]).run("writer", Anything::new());
    let reader = t.on(on[1]).run("reader", Anything::new().texts([writer.text]));
    require(&mut t, &given, writer.text);
    t.finish(Exports::new().entry("text", reader.text))
}

fn planned(before: &Model, after: &Model) -> Plan {
    plan(Some(&state(before)), &state(after))
}

#[test]
fn what_is_required_otherwise_is_reported_and_runs_nothing() {
    let before = model(|t, given, text| {
        t.require("enough memory", given.memory.one_of([1024, 2048]));
        t.require("text", text.length(1..));
        t.require("no more", text.starts_with("a"));
        t.require("as it was", text.ends_with("z"));
    });
    let after = model(|t, given, text| {
        t.require("enough memory", given.memory.one_of([2048, 4096]).because("it starts with no less"));
        t.require("text", text.length(3..));
        t.require("as it was", text.ends_with("z"));
        t.require("at last", text.contains("b").and(given.memory.multiple_of(2)));
    });
    let plan = planned(&before, &after);
    insta::assert_snapshot!(plan.to_text(false));
    assert_eq!(plan.requirements["as it was"].action, Demanded::Unchanged);
    assert_eq!(plan.requirements["as it was"].judges, ["two/reader".into()]);
    // Requirements on parameters are constraints in Heat, which change no resource.
    assert!(plan.resources.values().all(|plan| plan.action == Action::Unchanged));
    assert!(plan.components.values().all(|plan| plan.action == Run::Skip));
    assert!(!plan.is_empty());
    let json: serde_json::Value = serde_json::from_str(&plan.to_json()).expect("JSON");
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["requirements"]).expect("JSON"));
    assert_eq!(json["summary"]["requirements"]["changed"], 2);
    // A difference that only the author sees is no change.
    assert!(planned(&after, &after).is_empty());
    let nothing = planned(&model(|_, _, _| {}), &model(|t, _, _| t.require("here", that(3).at_least(2))));
    assert!(nothing.is_empty() && !nothing.to_json().contains("requirements"), "{}", nothing.to_text(false));
}

#[test]
fn nothing_of_a_secret_is_shown() {
    let with = |word: &'static str| {
        model(move |t, given, _| t.require("password", given.password.is_not(word).and(given.password.length(3..))))
    };
    let plan = planned(&with("hunter2"), &with("swordfish"));
    assert_eq!(plan.requirements["password"].action, Demanded::Changed);
    for text in [plan.to_text(false), plan.to_json(), planned(&with("hunter2"), &model(|_, _, _| {})).to_text(false)] {
        assert!(text.contains("password") && !text.contains("hunter2") && !text.contains("swordfish"), "{text}");
    }
    assert!(plan.to_text(false).contains("condition has changed"), "{}", plan.to_text(false));
}

/// A module with a requirement of its own.
struct Pair {
    least: u32,
}

impl Module for Pair {
    type Outputs = Output<String>;

    fn build(self, t: &mut Topology) -> Output<String> {
        let on = ["one", "two"].map(|name| t.add(name, nova::Server::new().image("debian-12").flavor("m1.small")));
        let writer = t.on(on[0]).run("writer", Anything::new());
        t.require("text", writer.text.length(self.least..).because("short ones are lost"));
        t.on(on[1]).run("reader", Anything::new().texts([writer.text])).text
    }
}

#[test]
fn what_a_module_requires_keeps_its_name_when_the_module_gets_another() {
    let stack = |add: &dyn Fn(&mut Topology) -> Output<String>| {
        let mut t = Topology::new("demo");
        let text = add(&mut t);
        t.finish(Exports::new().entry("text", text))
    };
    let before = stack(&|t| t.add("apps", Pair { least: 1 }));
    let moved = |least| stack(&move |t| t.add("cell", Pair { least }.moved_from("apps")));
    let same = planned(&before, &moved(1));
    assert!(same.is_empty(), "{}", same.to_text(false));
    assert_eq!(same.requirements.keys().map(|name| &**name).collect::<Vec<_>>(), ["apps.text"]);
    assert_eq!(same.requirements["apps.text"].judges, ["apps.two/reader".into()]);
    let other = planned(&before, &moved(2));
    assert_eq!(other.requirements["apps.text"].action, Demanded::Changed);
    let condition = other.requirements["apps.text"].because[0].to.as_deref().expect("a condition");
    assert!(condition.starts_with("`apps.one/writer/text` must have"), "{condition}");
    let anew = planned(&before, &stack(&|t| t.add("cell", Pair { least: 1 })));
    assert_eq!(anew.requirements["apps.text"].action, Demanded::Removed);
    assert_eq!(anew.requirements["cell.text"].action, Demanded::Added);
}
