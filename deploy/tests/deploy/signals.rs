//! Wait conditions: their handles, who may signal, and refusals.

use std::time::Duration;

use wattle_converge::{Desire, Event, Limits, Outcome, State, Stored, Time, What};
use wattle_deploy::{CONDITION, Deployment, HANDLE, Waits, is_made_here, made_here};

use crate::desk::{Desk, deployment, tried};

/// User data with the server's identity for its agent, and further text.
fn identity(more: &str) -> String {
    format!(
        "user_data_format: RAW, user_data: {{list_join: ['', ['#cloud-config ', {{stack: shop, server: web, space: s, credential: c, \
         values: {{signal: {more}}}}}]]}}"
    )
}

const CURL: &str = "{get_attr: [handle, curl_cli]}";

/// A handle, a condition, these servers, and a network that depends on them.
fn template(handle: &str, condition: &str, servers: &str) -> String {
    format!(
        "
resources:
  handle: {{type: {HANDLE}{handle}}}
  ready: {{type: {CONDITION}, properties: {{handle: {{get_resource: handle}}, timeout: 90{condition}}}}}
{servers}
  net: {{type: OS::Neutron::Net, properties: {{name: {{get_attr: [ready, data]}}}}}}
outputs: {{curl: {{value: {CURL}}}}}
"
    )
}

fn server(name: &str, user_data: &str) -> String {
    format!("  {name}: {{type: OS::Nova::Server, properties: {{flavor: f, image: i, {user_data}}}}}\n")
}

fn refused(text: &str) -> Vec<String> {
    let refused = tried(text, &[]).expect_err("a refusal");
    refused
        .iter()
        .map(|refused| {
            assert!(!refused.help.is_empty() && !refused.labels.is_empty(), "{refused:?}");
            format!("{} {}", refused.code, refused.message.replace(" cannot be deployed without Heat", ""))
        })
        .collect()
}

#[test]
fn a_handle_stays_and_what_reads_it_comes_after() {
    let text = |condition: &str| template("", condition, &server("web", &identity(CURL)));
    let target = deployment(&text(""), &[]);
    let mut desk = Desk::new();
    let jobs = desk.reach(&target).jobs;
    let at = |job: &str| jobs.iter().position(|known| known == job).unwrap_or_else(|| panic!("no {job}: {jobs:?}"));
    assert!(at("create handle") < at("create ready").min(at("create web")) && at("create ready") < at("create net"));
    let output = desk.outputs(&target).remove(0);
    assert!(output.is_secret);
    let phys = desk.phys("handle");
    assert_eq!(output.value.expect("a value"), format!("wattle signal {phys}").into());
    assert!(desk.given("web").contains(&format!("wattle signal {phys}")));
    assert_eq!(desk.property("ready", "handle"), phys.as_str().into());
    assert_eq!((desk.reach(&target).jobs, desk.phys("handle")), (Vec::new(), phys.clone()));

    // As in Heat, a new count is a change in place, and a new timeout requires a replacement.
    assert_eq!(desk.reach(&deployment(&text(", count: 2"), &[])).jobs[0], "update ready");
    let longer = desk.reach(&deployment(&text("").replace("timeout: 90", "timeout: 91"), &[])).jobs;
    assert!(longer.contains(&"create ready".into()) && longer.contains(&"delete ready".into()), "{longer:?}");

    // A new handle of the same name is a different one.
    desk.delete();
    desk.reach(&target);
    assert_ne!(desk.phys("handle"), phys);
}

#[test]
fn a_condition_has_as_long_as_it_says() {
    let target = deployment(&template("", ", count: 3", &server("web", &identity(CURL))), &[]);
    let begin = Time::from_millis(0);
    let (mut state, _) = State::load(Stored::default(), 1, Limits::default(), begin).expect("nothing");
    let mut step = state.step(Event::Desire(Desire::new(std::sync::Arc::new(target))), begin);
    let handle = step.jobs.iter().find(|job| &*job.kind == HANDLE).expect("a handle").clone();
    let thing = made_here(&handle).expect("it is made here");
    step =
        state.step(Event::Done { job: handle.id, row: handle.row, outcome: Outcome::Done(Some(thing.clone())) }, begin);
    let ready = step.jobs.iter().find(|job| &*job.kind == CONDITION).expect("a condition");
    let What::Create { properties } = &ready.what else { panic!("{ready:?}") };
    let waits = Waits::of(properties).expect("it waits");
    assert_eq!(waits, Waits { handle: thing.phys, count: 3, timeout: Duration::from_secs(90) });
    assert!(is_made_here(HANDLE) && !is_made_here(CONDITION) && made_here(ready).is_none());
    let until = state.row(ready.row).and_then(|row| row.until).expect("it ends");
    assert!(until > Time::from_millis(90_000) && until < Time::from_millis(300_000), "{until:?}");
}

#[test]
fn what_only_heat_hears_is_refused() {
    let web = server("web", &identity(CURL));
    for transport in ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"] {
        let handle = format!(", properties: {{signal_transport: {transport}}}");
        let said = refused(&template(&handle, "", &web));
        assert_eq!(said, [format!("W1402 `handle`: `signal_transport: {transport}` reaches only Heat")]);
    }
    for transport in ["HEAT_SIGNAL", "TOKEN_SIGNAL"] {
        deployment(&template(&format!(", properties: {{signal_transport: {transport}}}"), "", &web), &[]);
    }
    for attribute in ["token", "endpoint", "signal"] {
        let more = server("other", &format!("name: {{get_attr: [handle, {attribute}]}}"));
        let said = refused(&template("", "", &format!("{web}{more}")));
        assert_eq!(said, [format!("W1403 `other`: `name`: only Heat knows `{attribute}` of `handle`")]);
    }
    let said = refused(&template("", "", &web).replace("handle: {get_resource: handle}", "handle: handle"));
    assert_eq!(said, ["W1402 `ready`: its `handle` is not one of the template's own"]);
}

#[test]
fn who_could_never_signal_is_reported() {
    let script = |curl: &str| format!("user_data_format: RAW, user_data: {{list_join: [' ', ['#!/bin/sh', {curl}]]}}");
    assert_eq!(
        refused(&template("", "", &server("web", &script(CURL)))),
        ["W1404 `web`: it signals `handle` with `curl_cli`, which needs wattle's agent on the server"]
    );
    // Beside a server that could.
    let both = format!("{}{}", server("web", &script(CURL)), server("other", &identity(CURL)));
    assert_eq!(refused(&template("", "", &both)).len(), 1);
    assert_eq!(
        refused(&template("", "", &server("web", &identity("nothing")))),
        ["W1404 `ready`: nothing can signal `handle`: no server gets its `curl_cli`"]
    );
    // Likewise through values, texts and nested stacks.
    let through = format!(
        "  value: {{type: OS::Heat::Value, properties: {{value: {CURL}}}}}
  text: {{type: OS::Heat::SoftwareConfig, properties: {{config: {{get_attr: [value, value]}}}}}}
{}",
        server("web", &script("{get_resource: text}"))
    );
    assert_eq!(refused(&template("", "", &through)).len(), 1);
    deployment(
        &template("", "", &through.replace(&script("{get_resource: text}"), &identity("{get_resource: text}"))),
        &[],
    );
    let nested = format!(
        "parameters: {{signal: {{type: string}}}}\nresources:\n{}",
        server("web", &identity("{get_param: signal}"))
    );
    let outer = template("", "", &format!("  shop: {{type: shop.yaml, properties: {{signal: {CURL}}}}}"));
    let target: Deployment = deployment(&outer, &[("shop.yaml", &nested)]);
    let mut desk = Desk::new();
    desk.reach(&target);
    assert!(desk.given("shop/web").contains(&desk.phys("handle")));
    // A handle that nothing waits for has no requirements.
    deployment(&format!("resources: {{handle: {{type: {HANDLE}}}}}"), &[]);
}
