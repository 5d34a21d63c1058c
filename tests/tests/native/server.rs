//! Heat's engine creates stacks over a simulated cloud, and the test signals their deployments as done.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};
use wattle::graph::{Graph, Node, Why};
use wattle::lower::native::lower;
use wattle::model::{Carrier, Expr, Model, Reference, Scalar, Type};
use wattle_tests::native::{deployment, write};
use wattle_tests::oracle::{Agents, deploy};

use crate::examples;

/// A possible output of a recipe: text that names its origin, if the type permits that.
fn made_up(key: &str, output: &str, ty: &Type) -> String {
    match ty.revealed() {
        Type::Scalar(Scalar::Boolean) => "true".into(),
        other if other.carrier() == Some(Carrier::Number) => "8080".into(),
        Type::Scalar(Scalar::Ip | Scalar::Ipv4) => "10.9.8.7".into(),
        Type::Scalar(Scalar::Uri) => format!("http://{}/{output}", deployment(key)),
        Type::List(_) => format!(r#"["{key}", "{output}"]"#),
        _ => format!("{output} of {key}"),
    }
}

/// The outputs of every component, by deployment.
fn outputs(model: &Model) -> BTreeMap<String, BTreeMap<String, String>> {
    let of = |key: &str, declaration: &wattle::model::Declaration| {
        declaration.outputs.iter().map(|(name, output)| (name.to_string(), made_up(key, name, &output.ty))).collect()
    };
    let components = model.components.iter();
    components.map(|(key, one)| (deployment(key), of(key, model.declaration(one).expect("a kind")))).collect()
}

/// The index of each event of a kind, by deployment.
fn places<'a>(events: &'a [Value], what: &str) -> BTreeMap<&'a str, usize> {
    let of = |event: &'a Value| event["deployment"].as_str().expect("a deployment");
    let events = events.iter().enumerate().filter(|(_, event)| event["what"] == what && event["action"] == "CREATE");
    events.map(|(place, event)| (of(event), place)).collect()
}

fn created(model: &Model, parameters: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let given = outputs(model);
    let file = folder.path().join("outputs.json");
    fs::write(&file, json!(given).to_string()).expect("a new file");
    let template = write(&lower(model), folder.path(), false);
    let answer = deploy(&Agents::Simulated { outputs: &file }, parameters, &[template]);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
    assert_eq!(answer["gone"], true, "{answer:#}");

    let events = answer["events"].as_array().expect("events");
    let (starts, ends) = (places(events, "start"), places(events, "end"));
    let all: BTreeSet<&str> = given.keys().map(String::as_str).collect();
    assert_eq!(starts.keys().copied().collect::<BTreeSet<_>>(), all, "each deployment runs");
    assert_eq!(events.len(), 2 * all.len(), "and once");
    for (from, edge, to) in Graph::of(model).edges() {
        let (Node::Component(from, component), Node::Component(to, _)) = (from, to) else { continue };
        let (reader, writer) = (deployment(from), deployment(to));
        assert!(ends[&*writer] < starts[&*reader], "{reader} does not wait for {writer}");
        // A value that is read whole arrives unchanged.
        if let Why::Data { input, output, forward_reference: None } = edge.why {
            let wired = &component.inputs[input].value;
            if matches!(wired, Expr::Leaf(Reference::Output { .. })) {
                assert_eq!(events[starts[&*reader]]["told"][&**input], given[&writer][&**output], "{reader}: {input}");
            }
        }
    }
    answer
}

#[test]
fn hello_comes_up_in_the_order_of_the_model_with_what_was_signalled() {
    let [hello, ..] = examples();
    let answer = created(&hello, &[]);
    assert_eq!(answer["outputs"], json!({ "greeting": "greeting of alice/greeter" }));
}

#[test]
fn three_tier_does() {
    let [_, three_tier, _] = examples();
    let answer = created(&three_tier, &["db_password=s3:cr\"et"]);
    let given = &answer["outputs"];
    assert_eq!(given["url"], "http://web.nginx/url");
    assert_eq!((&given["products"], &given["postgres_version"]), (&json!("8080"), &json!("version of db/postgres")));
    let mut events = answer["events"].as_array().expect("events").iter();
    let nginx = events.find(|event| event["deployment"] == "web.nginx").expect("a start");
    assert_eq!(nginx["told"]["backends"], json!(["http://app1.app/url", "http://app2.app/url"]));
    let address = nginx["told"]["address"].as_str().expect("text");
    assert!(address.parse::<std::net::IpAddr>().is_ok(), "{address}");
}

#[test]
fn connections_does() {
    if !wattle_tests::skip::everything("connections, created natively") {
        return;
    }
    let [.., connections] = examples();
    let answer = created(&connections, &["db_password=a", "ldap_password=b", "was_password=c"]);
    assert_eq!(answer["outputs"]["people"], "8080");
}
