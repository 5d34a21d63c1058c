//! Heat's own lowering with the real heat-agents: recipes of every tool run unchanged.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;
use wattle::author::{Blueprint, Parameters as _};
use wattle::check::{check, has_errors};
use wattle::lower::native::lower;
use wattle::model::{Component, Content, Model, Recipe};
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_tests::command::searching_first;
use wattle_tests::native::{limits, write};
use wattle_tests::oracle::{Agents, deploy};

/// Several files, all types, a service, a teardown.
#[component(
    recipe = "recipes/native/shell.sh",
    files = ["recipes/native/lib.sh"],
    teardown = "recipes/native/remove.sh",
    deadline = "20s"
)]
struct Shell {
    #[input]
    flag: bool,
    #[input]
    number: u16,
    #[input]
    texts: Vec<String>,
    #[input]
    ports: Vec<u16>,
    #[input]
    password: Secret<String>,
    #[input]
    absent: Option<String>,

    #[output(dynamic)]
    line: String,
    #[output]
    service: u32,
    #[output]
    listens: Vec<u16>,
    #[output]
    ready: bool,
}

/// A playbook that the `ansible` hook runs unchanged.
#[component(recipe = "recipes/native/hook.yml")]
struct Hook {
    #[input]
    before: String,
    #[input(default = 6379)]
    number: u16,
    #[input]
    flag: bool,
    #[input]
    texts: Vec<String>,

    #[output]
    line: String,
}

/// A playbook that sets statistics, and reads values that are not text.
#[component(recipe = "recipes/native/stats.yml")]
struct Stats {
    #[input]
    before: String,
    #[input]
    ports: Vec<u16>,
    #[input]
    ready: bool,

    #[output]
    line: String,
    #[output]
    total: u32,
}

/// A manifest that the `puppet` hook runs unchanged.
#[component(recipe = "recipes/native/facts.pp")]
struct Facts {
    #[input]
    before: String,

    #[output]
    line: String,
}

/// A manifest that looks up typed values.
#[component(recipe = "recipes/native/hiera.pp")]
struct Hiera {
    #[input]
    before: String,
    #[input]
    total: u32,
    #[input]
    ports: Vec<u16>,

    #[output]
    line: String,
}

/// A state with typed values in its pillar.
#[component(recipe = "recipes/native/pillar.sls")]
struct Pillar {
    #[input]
    before: String,
    #[input]
    ports: Vec<u16>,

    #[output]
    line: String,
}

/// A Chef recipe.
#[component(chef = "recipes/native/cookbooks/native::default")]
struct Chef {
    #[input]
    before: String,
    #[input]
    ports: Vec<u16>,

    #[output]
    line: String,
}

#[derive(Parameters)]
struct Settings {
    #[parameter]
    flag: Parameter<bool>,
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// One component for each form of each tool. Each repeats the output of the previous one.
pub(crate) fn every_tool() -> Model {
    let mut t = Topology::new("tools");
    let p = Settings::declare(&mut t);
    let server = t.add("server", nova::Server::new().image("debian-12").flavor("m1.small").network("private"));
    let shell = Shell::new().flag(p.flag).number(7_u16).texts(["a b", "c'd"]).ports([1_u16, 2]).password(p.password);
    let shell = t.on(server).run("shell", shell);
    let hook = Hook::new().before(text!("{} {}", shell.line, p.flag)).flag(p.flag).texts(["x", "y z"]);
    let hook = t.on(server).run("hook", hook);
    let before = text!("{} {}", hook.line, "{{ y }}");
    let stats = t.on(server).run("stats", Stats::new().before(before).ports(shell.listens).ready(shell.ready));
    let facts = t.on(server).run("facts", Facts::new().before(stats.line));
    let hiera = t.on(server).run("hiera", Hiera::new().before(facts.line).total(stats.total).ports(shell.listens));
    let pillar = t.on(server).run("pillar", Pillar::new().before(hiera.line).ports(shell.listens));
    let chef = t.on(server).run("chef", Chef::new().before(pillar.line).ports(shell.listens));
    t.finish(Exports::new().entry("line", chef.line).entry("listens", shell.listens).entry("service", shell.service))
}

/// A search path that begins with Chef's stand-in and the real Salt.
fn path(folder: &Path) -> OsString {
    let program = folder.join("chef-solo");
    let stand_in = concat!(env!("CARGO_MANIFEST_DIR"), "/chef/stand_in.rb");
    fs::write(&program, format!("#!/bin/sh\nexec ruby {stand_in} \"$@\"\n")).expect("a new file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a file");
    let salt = wattle_tests::venv::installed("salt").join("salt-call");
    std::os::unix::fs::symlink(salt, folder.join("salt-call")).expect("a new link");
    searching_first(folder)
}

fn run(model: &Model, parameters: &[&str]) -> Value {
    run_each(&[model], parameters)
}

/// Creates a stack from the first model, updates it to each further one, and deletes it.
fn run_each(models: &[&Model], parameters: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let template = |(index, model): (usize, &&Model)| {
        let found = check(model, &limits());
        assert!(!has_errors(&found), "{found:#?}");
        let own = folder.path().join(index.to_string());
        fs::create_dir(&own).expect("a new folder");
        write(&lower(model), &own, false)
    };
    let templates: Vec<_> = models.iter().enumerate().map(template).collect();
    let path = path(folder.path());
    deploy(&Agents::Real { hooks: &folder.path().join("servers"), path: &path }, parameters, &templates)
}

/// The report of a deployment at its end.
fn reported<'a>(answer: &'a Value, deployment: &str, action: &str) -> &'a Value {
    let mut events = answer["events"].as_array().expect("events").iter();
    let ended =
        |event: &&Value| event["what"] == "end" && event["deployment"] == deployment && event["action"] == action;
    &events.find(ended).unwrap_or_else(|| panic!("{deployment} did not {action}: {answer:#}"))["told"]
}

#[test]
fn hello_says_hello() {
    let answer = run(&hello::hello.model(Default::default()), &[]);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
    let greeting = answer["outputs"]["greeting"].as_str().expect("text");
    assert!(greeting.starts_with("hello bob, this is "), "{greeting}");
    assert_eq!(reported(&answer, "bob.listener", "CREATE")["deploy_stdout"], format!("heard: {greeting}\n"));
}

/// Changes the recipe of a component type.
fn change(model: &mut Model, kind: &str, change: impl FnOnce(&mut Recipe)) {
    let declaration = model.declarations.values_mut().find(|known| &*known.name == kind).expect("a kind");
    change(&mut declaration.recipe);
}

#[test]
fn an_update_runs_what_has_changed_and_its_readers_and_tears_down_what_is_gone() {
    if !wattle_tests::skip::everything("updates by heat-agents") {
        return;
    }
    let mut first = hello::hello.model(Default::default());
    change(&mut first, "Listener", |recipe| recipe.teardown = Some(recipe.entry.clone()));
    // This component stays: Heat replaces a server that loses its last component.
    let greeter = &first.components["alice/greeter"];
    let other = Component::new("other".into(), "bob".into(), greeter.declaration.clone(), greeter.at.clone());
    first.components.insert("bob/other".into(), other);
    let mut input = first.clone();
    input.components["alice/greeter"].inputs["name"].value = "carol".into();
    // Only the recipe changes, which does not affect components that read the outputs.
    let mut recipe = input.clone();
    let text = "echo \"hello $name, this is $(uname -n)\" >\"${heat_outputs_path}.greeting\"\n";
    change(&mut recipe, "Greeter", |greeter| greeter.files[0].content = Content::Text(text.into()));
    let mut gone = recipe.clone();
    gone.components.shift_remove("bob/listener").expect("a component");

    let answer = run_each(&[&first, &input, &recipe, &gone], &[]);
    assert_eq!(answer["status"], "UPDATE_COMPLETE", "{answer:#}");
    let mut actions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for event in answer["events"].as_array().expect("events").iter().filter(|event| event["what"] == "end") {
        assert_eq!(event["told"]["deploy_status_code"], 0, "{event:#}");
        let [deployment, action] = ["deployment", "action"].map(|key| event[key].as_str().expect("text"));
        actions.entry(deployment).or_default().push(action);
    }
    let expected = [
        ("alice.greeter", vec!["CREATE", "UPDATE", "UPDATE"]),
        ("bob.listener", vec!["CREATE", "UPDATE", "DELETE"]),
        // Its recipe changes, and later nothing precedes it any more.
        ("bob.other", vec!["CREATE", "UPDATE", "UPDATE"]),
    ];
    assert_eq!(actions, BTreeMap::from(expected), "{answer:#}");
    for action in ["UPDATE", "DELETE"] {
        let heard = reported(&answer, "bob.listener", action)["deploy_stdout"].as_str().expect("text");
        assert!(heard.starts_with("heard: hello carol, this is "), "{heard}");
    }
}

#[test]
fn recipes_of_every_tool_run_as_they_are() {
    if !wattle_tests::skip::everything("heat-agents, with every tool") {
        return;
    }
    // The teardown kills the service that this file names.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let password = folder.path().join("pass word");
    let model = every_tool();
    let answer = run(&model, &["flag=true", &format!("password={}", password.display())]);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
    let line = "true 7 [\"a b\",\"c'd\"] [1,2] unset true 6380 yes x+y z {{ y }} 523 yes by facts by hiera: 524 2 by salt: 2 by chef: 523";
    assert_eq!(answer["outputs"]["line"], line);
    assert_eq!(answer["outputs"]["listens"], "[80,443]");

    let shell = reported(&answer, "server.shell", "CREATE");
    let printed = shell["deploy_stdout"].as_str().expect("text");
    assert_eq!(printed, "the password is ***\n");
    // A tool's own hook runs the recipes that it supports.
    let events = answer["events"].as_array().expect("events");
    let started: Vec<_> =
        events.iter().filter(|event| event["what"] == "start" && event["action"] == "CREATE").collect();
    let groups: Vec<_> = started.iter().map(|event| event["group"].as_str().expect("a group")).collect();
    assert_eq!(groups, ["script", "ansible", "script", "puppet", "script", "script", "script"]);

    // When the stack is deleted, only components with a teardown run. This one ended the service.
    let removed: Vec<_> = events.iter().filter(|event| event["action"] == "DELETE").collect();
    assert_eq!(removed.len(), 2, "{removed:#?}");
    assert_eq!(reported(&answer, "server.shell", "DELETE")["deploy_status_code"], 0);
    assert_eq!(answer["gone"], true);
    assert!(!password.exists());
}

#[test]
fn a_failure_fails_the_stack_with_its_reason() {
    let with = |recipe: &'static str, deadline: Option<u64>| {
        let mut model = hello::hello.model(Default::default());
        change(&mut model, "Greeter", |greeter| greeter.files[0].content = Content::Text(recipe.into()));
        for kind in model.declarations.values_mut() {
            kind.deadline = deadline;
            // This way, a component that never writes an output still runs.
            kind.outputs.values_mut().for_each(|output| output.dynamic = true);
        }
        let answer = run(&model, &[]);
        assert_eq!(answer["status"], "CREATE_FAILED", "{answer:#}");
        reported(&answer, "alice.greeter", "CREATE")["deploy_stderr"].as_str().expect("text").to_owned()
    };
    let said = with("#!/bin/sh\ntrue\n", None);
    assert_eq!(said, "wattle: Greeter failed: it ended without writing its output `greeting`\n");
    if wattle_tests::skip::everything("failures by status and deadline") {
        let said = with("#!/bin/sh\nexit 3\n", None);
        assert_eq!(said, "wattle: Greeter failed: `recipes/greet.sh` ended with status 3\n");
        let said = with("#!/bin/sh\nsleep 60\n", Some(1));
        assert_eq!(said, "wattle: Greeter failed: it was not done within its deadline of 1 s\n");
    }
}
