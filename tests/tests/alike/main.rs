//! The simulated cloud answers as real services do: the same requests to both, side by side.
//!
//! `WATTLE_CLOUD` names a cloud of `clouds.yaml` in which a user may make networks, servers and volumes; without it nothing can be
//! compared. `WATTLE_LIKENESS=FILE` has the table written there.
//!
//! What the simulated cloud says has to be said by the real one, too: the same status, and each key of an answer with a value of
//! the same type. A real service says more than that.

mod ask;
mod script;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ask::{Answer, Asker};
use serde_json::Value;
use wattle_cloud::Setting;
use wattle_openstack::clouds::Sources;
use wattle_runtime::openstack::sources;
use wattle_tests::cloud::CloudServer;
use wattle_tests::skip::skipped;

#[test]
fn both_clouds_answer_alike() {
    let Ok(name) = std::env::var("WATTLE_CLOUD") else {
        return skipped("the simulated cloud beside a real one", "WATTLE_CLOUD names no cloud");
    };
    let server = CloudServer::start(Setting::default());
    let text = format!(
        "clouds: {{simulated: {{auth: {{auth_url: '{}', username: demo, password: demo, project_name: demo, user_domain_id: \
         default, project_domain_id: default}}}}}}",
        server.auth_url()
    );
    let simulated = Sources { clouds: Some(("clouds.yaml".into(), text)), ..Sources::default() };
    let simulated = Asker::new(&simulated, None).follow(script::STEPS);
    let real = Asker::new(&sources().expect("clouds.yaml"), Some(&name)).follow(script::STEPS);
    let mut table = String::from("| request | real | simulated | what differs |\n|---|---:|---:|---|\n");
    let mut wrong = Vec::new();
    for ((step, real), simulated) in script::STEPS.iter().zip(&real).zip(&simulated) {
        let differences = differences(real, simulated);
        let said = if differences.is_empty() { "nothing".to_owned() } else { differences.join(", ") };
        let _ = writeln!(table, "| {} | {} | {} | {said} |", step.name, real.status, simulated.status);
        if !differences.is_empty() {
            wrong.push(format!("{}: {said}\n  real: {}\n  simulated: {}", step.name, real.body, simulated.body));
        }
    }
    if let Some(file) = std::env::var_os("WATTLE_LIKENESS") {
        std::fs::write(file, &table).expect("writes");
    }
    assert!(wrong.is_empty(), "{table}\n{}", wrong.join("\n"));
}

/// What the simulated cloud says and the real one does not.
fn differences(real: &Answer, simulated: &Answer) -> Vec<String> {
    let mut found = Vec::new();
    if real.status != simulated.status {
        found.push("the status".to_owned());
    }
    let known = shape(&real.body);
    for (path, kind) in shape(&simulated.body) {
        match known.get(&path) {
            None => found.push(format!("`{path}` is not there")),
            Some(other) if kind != "null" && *other != "null" && kind != *other => {
                found.push(format!("`{path}` is {other}, and {kind}"));
            }
            Some(_) => {}
        }
    }
    found
}

/// The type of each value by its path; all items of a list are as one.
fn shape(value: &Value) -> BTreeMap<String, &'static str> {
    let mut shape = BTreeMap::new();
    walk(value, "", &mut shape);
    shape
}

fn walk(value: &Value, path: &str, shape: &mut BTreeMap<String, &'static str>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    };
    // Of several items the one that says more.
    if shape.get(path).is_none_or(|known| *known == "null") {
        shape.insert(path.to_owned(), kind);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{path}[]"), shape)),
        // Keys that are values: the networks of a server by their names.
        Value::Object(_) if path.ends_with(".addresses") || path.ends_with(".metadata") => {}
        Value::Object(items) => items.iter().for_each(|(key, item)| walk(item, &format!("{path}.{key}"), shape)),
        _ => {}
    }
}

#[test]
fn what_differs_is_found() {
    let answer = |status, text: &str| Answer { status, body: serde_json::from_str(text).expect("JSON") };
    let real = answer(200, r#"{"servers": [{"id": "1", "fault": null, "tags": []}], "more": 1}"#);
    let found = |simulated: &Answer| differences(&real, simulated).join(", ");
    assert_eq!(found(&answer(200, r#"{"servers": [{"id": "2", "fault": {}}]}"#)), "");
    assert_eq!(found(&answer(202, r#"{"servers": []}"#)), "the status");
    let other = answer(200, r#"{"servers": [{"id": 2}], "links": []}"#);
    assert_eq!(found(&other), "`.links` is not there, `.servers[].id` is text, and a number");
}
