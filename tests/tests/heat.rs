//! Every template compared with Heat's own engine: it is valid, and no server depends on another.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use wattle::author::Blueprint;
use wattle::lower::{Lowered, Options, lower};
use wattle::model::Model;
use wattle_tests::oracle::{self, Oracle, write};
use wattle_tests::{random, workload};

/// The operator's parameters of `three_tier` without defaults.
const GIVEN: &[&str] = &["wattle_space=zookeeper://127.0.0.1:2181", "db_password=s3:cr\"et"];

fn small_stacks() -> Options {
    let mut options = Options::default();
    options.stack_resources = 12;
    options
}

fn accepted(oracle: &mut Oracle, lowered: &Lowered, name: &str) -> Value {
    let [yaml, json] = [false, true].map(|json| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let answer = oracle.validate(&write(lowered, folder.path(), json));
        assert_eq!(answer["ok"], true, "Heat refuses `{name}`: {}: {}", answer["error"], answer["message"]);
        answer
    });
    assert_eq!(yaml["graph"], json["graph"], "{name}");
    yaml
}

fn assert_no_server_depends_on_another(answer: &Value) {
    let types: BTreeMap<&str, &str> = answer["types"]
        .as_object()
        .expect("types")
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str().expect("a type")))
        .collect();
    // A nested stack counts as a server, because it contains servers.
    let heavy = |name: &str| types[name] == "OS::Nova::Server" || types[name].ends_with(".yaml");
    let requires = |name: &str| answer["graph"][name].as_array().expect("a list").iter().filter_map(Value::as_str);
    for server in types.keys().copied().filter(|name| heavy(name)) {
        let (mut open, mut seen) = (requires(server).collect::<Vec<_>>(), HashSet::new());
        while let Some(name) = open.pop() {
            assert!(!heavy(name), "`{server}` depends on `{name}`");
            if seen.insert(name) {
                open.extend(requires(name));
            }
        }
    }
    for nested in answer["nested"].as_object().into_iter().flat_map(|nested| nested.values()) {
        assert_no_server_depends_on_another(nested);
    }
}

fn sound(model: &Model) {
    let found = wattle::check::check(model, &wattle::check::Limits::default());
    assert!(!wattle::check::has_errors(&found), "{found:#?}");
}

#[test]
fn heat_takes_every_example() {
    let mut oracle = Oracle::start();
    let models = [
        hello::hello.model(Default::default()),
        three_tier::three_tier.model(Default::default()),
        connections::connections.model(Default::default()),
    ];
    for model in models {
        sound(&model);
        for options in [Options::default(), small_stacks()] {
            assert_no_server_depends_on_another(&accepted(&mut oracle, &lower(&model, &options), &model.stack));
        }
    }
}

#[test]
fn heat_takes_the_workload_whole_and_cut() {
    let mut oracle = Oracle::start();
    let model = workload::workload.model(workload::Size::of(150));
    let lowered = lower(&model, &Options::default());
    assert!(lowered.nested.len() > 1, "not cut");
    assert_no_server_depends_on_another(&accepted(&mut oracle, &lowered, "workload"));
}

#[test]
fn heat_takes_fifty_random_models() {
    let mut oracle = Oracle::start();
    for seed in 0..50_u32 {
        let model = random::model(&random::bytes(seed, 400));
        sound(&model);
        let options = if seed % 2 == 0 { Options::default() } else { small_stacks() };
        assert_no_server_depends_on_another(&accepted(
            &mut oracle,
            &lower(&model, &options),
            &format!("random {seed}"),
        ));
    }
}

#[test]
fn heat_takes_conditions_and_orders_cut() {
    let mut oracle = Oracle::start();
    let mut cut = 0;
    for seed in 0..30_u32 {
        let mut model = random::whole(&random::bytes(seed, 400));
        if let (Some(name), Some((_, server))) = (
            model.conditions.keys().next().cloned(),
            model.resources.iter_mut().filter(|(_, resource)| resource.is_server()).nth(1),
        ) {
            server.condition = Some(Box::new(wattle::model::Expr::Constant(wattle::model::Value::Str(name))));
        }
        let lowered = lower(&model, &small_stacks());
        let bound = |template: &wattle::lower::hot::Template| {
            let mut resources = template.resources.values();
            resources.any(|resource| resource.condition.is_some() || !resource.depends_on.is_empty())
        };
        if lowered.nested.values().any(bound) {
            cut += 1;
            accepted(&mut oracle, &lowered, &format!("random {seed}"));
        }
    }
    assert!(cut > 5, "{cut}");
}

#[test]
fn user_data_reaches_nova_as_emitted() {
    let model = three_tier::three_tier.model(Default::default());
    let lowered = lower(&model, &Options::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let template = write(&lowered, folder.path(), false);
    let environment = folder.path().join("environment.yaml");
    let unasked = oracle::validate_with(&[&environment], &[], &template);
    assert_eq!(unasked["error"], "UserParameterMissing", "{unasked}");
    let answer = oracle::create(&[&environment], GIVEN, &template);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
    let servers = answer["servers"].as_object().expect("servers");
    assert_eq!(servers.len(), lowered.template.servers());
    for (name, server) in servers {
        let sent = server["userdata"].as_str().expect("user data");
        let (text, identity) = sent.rsplit_once("    content: |\n      ").expect("the identity comes last");
        let emitted = oracle::user_data_text(&lowered.template);
        assert_eq!(format!("{text}    content: |\n"), emitted, "{name}");
        // Values that only the cloud knows are taken from the answer; all others must be those of the template.
        let data: Value = serde_json::from_str(identity).expect("JSON");
        let known = |part: &str| data.get(part).map_or(String::new(), |value| format!("\"{part}\": {}", python(value)));
        let values =
            Some(known("values")).filter(|values| !values.is_empty()).map_or(String::new(), |v| format!(", {v}"));
        let networks = known("networks");
        let expected = format!(
            "{{\"ca\": \"\", \"credential\": \"\", {networks}, \"server\": \"{name}\", \"space\": \"zookeeper://127.0.0.1:2181\", \
             \"stack\": \"three_tier\"{values}}}\n"
        );
        assert_eq!(identity, expected, "{name}");
        assert_eq!(data["networks"].as_object().expect("networks").keys().collect::<Vec<_>>(), ["backbone"]);
        let reads_port =
            data.get("values").is_some_and(|values| values.get("web-port.fixed_ips.0.ip_address").is_some());
        assert_eq!(reads_port, name == "web", "{name}");
        assert!(sent.len() < 49_149);
    }
}

/// A map of strings in the form of Python's `json.dumps`.
fn python(map: &Value) -> String {
    let pairs: BTreeMap<&String, &Value> = map.as_object().expect("a map").iter().collect();
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
    format!("{{{}}}", pairs.join(", "))
}

#[test]
fn the_oracle_refuses_what_is_wrong() {
    let mut model = hello::hello.model(Default::default());
    let mut net = wattle::model::Resource::new("OS::Neutron::Net".into(), model.at.clone());
    let nmae = wattle::model::Binding { value: "backbone".into(), at: model.at.clone() };
    net.properties.insert("nmae".into(), nmae);
    model.resources.insert("wrong".into(), net);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let template = write(&lower(&model, &Options::default()), folder.path(), false);
    let answer = Oracle::start().validate(&template);
    assert_eq!(answer["ok"], false, "{answer}");
    assert!(answer["message"].as_str().expect("a message").contains("nmae"), "{answer}");
}
