//! The simulated cloud answers like real services: the same requests to both, compared.
//!
//! `WATTLE_LIKENESS=FILE` writes the table to a file.
//!
//! Both must answer with the same status, the same number of things if a request determines it, values of the same type
//! for each key that both have, the same states and booleans, and the words that the driver relies on. Additional keys
//! of the real one are ignored. Additional keys of the simulated one are listed in the table: a cloud has more keys
//! with more extensions, and with a newer version of its API.

mod ask;
mod asked;
mod script;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ask::{Answer, Asker};
use script::Step;
use serde_json::Value;
use wattle_cloud::Setting;
use wattle_openstack::clouds::CloudConfig;
use wattle_runtime::openstack::sources;
use wattle_tests::cloud::CloudServer;
use wattle_tests::openstack::admin::Administrator;
use wattle_tests::openstack::is_there;

#[test]
fn the_simulated_cloud_answers_as_on_a_real_openstack() {
    if !is_there("the simulated cloud beside the real one") {
        return;
    }
    let mut seen = Likeness::default();
    seen.compare(&sources().expect("clouds.yaml"), Setting::default(), script::steps);
    let setting = Setting { is_admin: true, ..Setting::default() };
    seen.compare(&Administrator::sources(), setting, script::steps_of_administrator);
    let Likeness { rows, wrong, said } = seen;
    let table = format!(
        "| request | real | simulated | what differs | what only the simulated one has |\n|---|---:|---:|---|---|\n{rows}"
    );
    if let Some(file) = std::env::var_os("WATTLE_LIKENESS") {
        std::fs::write(file, &table).expect("writes");
    }
    for (name, what, why) in KNOWN {
        println!("{name} may differ in {what}: {why}");
    }
    assert!(wrong.is_empty(), "{table}\n{}", wrong.join("\n"));
    let unsaid: Vec<&str> = WORDS.into_iter().filter(|words| !said.contains(words)).collect();
    assert!(unsaid.is_empty(), "no real service has said {unsaid:?}");
}

/// The result of the comparison.
#[derive(Default)]
struct Likeness {
    /// A row for each request.
    rows: String,
    /// Unexpected differences.
    wrong: Vec<String>,
    /// All answers of the real services.
    said: String,
}

impl Likeness {
    /// Sends the same requests to the real cloud and to a simulated one.
    fn compare<S: Iterator<Item = &'static Step>>(&mut self, real: &CloudConfig, setting: Setting, steps: fn() -> S) {
        let server = CloudServer::start(setting);
        let text = format!(
            "clouds: {{simulated: {{auth: {{auth_url: '{}', username: demo, password: demo, project_name: demo, \
             user_domain_id: default, project_domain_id: default}}}}}}",
            server.auth_url()
        );
        let simulated = CloudConfig { clouds: Some(("clouds.yaml".into(), text)), ..CloudConfig::default() };
        let simulated = Asker::new(&simulated).follow(steps());
        let real = Asker::new(real).follow(steps());
        for ((step, real), simulated) in steps().zip(&real).zip(&simulated) {
            let (mut differs, beside) = differences(step.path, real, simulated);
            differs
                .retain(|found| !KNOWN.iter().any(|(name, known, _)| *name == step.name && found.starts_with(known)));
            let said = |found: &[String]| if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
            let _ = writeln!(
                self.rows,
                "| {} | {} | {} | {} | {} |",
                step.name,
                real.status,
                simulated.status,
                said(&differs),
                said(&beside)
            );
            self.said.extend([real.body.to_string()]);
            if !differs.is_empty() {
                let (name, differs) = (step.name, said(&differs));
                self.wrong.push(format!("{name}: {differs}\n  real: {}\n  simulated: {}", real.body, simulated.body));
            }
        }
    }
}

/// Words by which the driver distinguishes refusals with the same status.
const WORDS: [&str; 7] = [
    "status must be",
    "already has a port",
    "already exists",
    "conflicts with allocation pool",
    "Port Security must be enabled",
    "Port has security group",
    "Multiple possible networks found",
];

const DIFFERENT_HOSTS: &str = "each cloud has hosts and flavors of its own";

/// Permitted differences, and the reasons.
const KNOWN: [(&str, &str, &str); 6] = [
    ("list the services of hosts", "the number of things", DIFFERENT_HOSTS),
    ("list the flavors of all projects", "the number of things", DIFFERENT_HOSTS),
    ("hosts with memory", "the number of things", DIFFERENT_HOSTS),
    (
        "the default security group",
        "the number of things",
        "the simulated cloud has none: only those of templates count",
    ),
    ("bind a floating IP", "`.floatingip.status` ", "the lab has no agent of Neutron's that brings it up"),
    ("show a floating IP", "`.floatingip.status` ", "the lab has no agent of Neutron's that brings it up"),
];

/// The differences, and the additional keys of the simulated cloud.
fn differences(path: &str, real: &Answer, simulated: &Answer) -> (Vec<String>, Vec<String>) {
    let (mut differs, mut beside) = (Vec::new(), Vec::new());
    if real.status != simulated.status {
        differs.push("the status".to_owned());
    }
    let (said, simulation) = (real.body.to_string(), simulated.body.to_string());
    let words = WORDS.iter().filter(|words| said.contains(**words) != simulation.contains(**words));
    differs.extend(words.map(|words| format!("the words `{words}`")));
    let late = [("real", real), ("simulated", simulated)].into_iter().filter(|(_, answer)| !answer.came);
    differs.extend(late.map(|(which, _)| format!("what is waited for, which the {which} one never says")));
    // Without a filter, a list also contains things from before the test, so only filtered lists are counted.
    if path.contains('?') {
        let counts = [real, simulated].map(|answer| listed(&answer.body));
        if counts[0] != counts[1] {
            differs.push(format!("the number of things: {:?}, and {:?}", counts[0], counts[1]));
        }
    } else {
        same(&real.body, &simulated.body, "", &mut differs);
    }
    let known = shape(&real.body);
    for (path, kind) in shape(&simulated.body) {
        match known.get(&path) {
            None => beside.push(format!("`{path}`")),
            Some(other) if kind != "null" && *other != "null" && kind != *other => {
                differs.push(format!("`{path}` is {other}, and {kind}"));
            }
            Some(_) => {}
        }
    }
    (differs, beside)
}

/// The number of items in a list.
fn listed(body: &Value) -> Option<usize> {
    body.as_object()?.values().find_map(Value::as_array).map(Vec::len)
}

/// Adds differing states and booleans.
fn same(real: &Value, simulated: &Value, path: &str, differs: &mut Vec<String>) {
    let (Some(real), Some(simulated)) = (real.as_object(), simulated.as_object()) else { return };
    for (key, value) in simulated {
        let (Some(other), path) = (real.get(key), format!("{path}.{key}")) else { continue };
        if (key == "status" || value.is_boolean()) && value != other {
            differs.push(format!("`{path}` is {other}, and {value}"));
        }
        same(other, value, &path, differs);
    }
}

/// The type of each value by its path; all items of a list are treated as one.
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
    // Of several items, the one with the more specific type counts.
    if shape.get(path).is_none_or(|known| *known == "null") {
        shape.insert(path.to_owned(), kind);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{path}[]"), shape)),
        // Keys that are data: the networks of a server, by name.
        Value::Object(_) if path.ends_with(".addresses") || path.ends_with(".metadata") => {}
        Value::Object(items) => items.iter().for_each(|(key, item)| walk(item, &format!("{path}.{key}"), shape)),
        _ => {}
    }
}

#[test]
fn what_differs_is_found() {
    let answer = |status, text: &str| Answer { status, body: serde_json::from_str(text).expect("JSON"), came: true };
    let real = answer(200, r#"{"servers": [{"id": "1", "fault": null, "tags": []}], "more": 1}"#);
    let found = |simulated: &Answer| differences("/servers", &real, simulated);
    let none = (Vec::<String>::new(), Vec::<String>::new());
    assert_eq!(found(&answer(200, r#"{"servers": [{"id": "2", "fault": {}}]}"#)), none);
    assert_eq!(found(&answer(202, r#"{"servers": []}"#)).0, ["the status"]);
    let other = answer(200, r#"{"servers": [{"id": 2}], "links": []}"#);
    let expected = (vec!["`.servers[].id` is text, and a number".to_owned()], vec!["`.links`".to_owned()]);
    assert_eq!(found(&other), expected);
    let refused = answer(200, r#"{"servers": [], "more": "its status must be another"}"#);
    assert_eq!(found(&refused).0[0], "the words `status must be`");
    // A single thing, and a list filtered by its properties.
    let mut one = answer(200, r#"{"port": {"status": "DOWN", "shared": true, "name": "a"}}"#);
    let other = answer(200, r#"{"port": {"status": "ACTIVE", "shared": false, "name": "b"}}"#);
    let expected = [r#"`.port.status` is "DOWN", and "ACTIVE""#, "`.port.shared` is true, and false"];
    assert_eq!(differences("/ports/1", &one, &other).0, expected);
    one.came = false;
    assert_eq!(differences("/ports/1", &one, &one).0.len(), 2, "what both never say is said of both");
    let few = answer(200, r#"{"servers": []}"#);
    assert_eq!(differences("/servers?name=a", &real, &few).0, ["the number of things: Some(1), and Some(0)"]);
}
