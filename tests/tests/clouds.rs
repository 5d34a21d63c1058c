//! wattle reads clouds as openstacksdk and keystoneauth do, on which every OpenStack client in Python is based.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::{Cloud, identity};

/// Settings of a cloud, in groups; each case combines one setting from each group.
const AUTH: [&[&str]; 5] = [
    &["username: u", "user_id: '77'", "username: ann@example.org"],
    &["password: hush", "password: \"it's: hard\"", "password: ''"],
    &[
        "project_name: shop",
        "project_id: abc",
        "tenant_name: shop",
        "system_scope: all",
        "domain_name: all",
        "domain_id: d1",
        "",
    ],
    &["user_domain_name: people", "user_domain_id: d7"],
    &["project_domain_name: shops", "project_domain_id: d8"],
];
const BESIDE: [&[&str]; 4] = [
    &["", "region_name: north", "regions: [south]", "regions: [{name: east}, {name: west}]\nregion_name: west"],
    &["", "interface: internal", "interface: admin", "endpoint_type: internal"],
    &["", "verify: false", "verify: true", "verify: no", "verify: /etc/hosts"],
    &["", "cacert: /etc/hosts"],
];

/// Every combination of `AUTH`, each with a different combination of the other settings.
fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    let mut number = 0;
    let mut picks = [0; AUTH.len()];
    loop {
        let auth: Vec<_> = AUTH.iter().zip(picks).map(|(of, pick)| of[pick]).filter(|line| !line.is_empty()).collect();
        let mut rest = number;
        let mut beside = String::new();
        for of in BESIDE {
            let lines = of[rest % of.len()];
            rest /= of.len();
            beside.extend(lines.lines().map(|line| format!("    {line}\n")));
        }
        let auth: String = auth.iter().map(|line| format!("      {line}\n")).collect();
        let clouds =
            format!("clouds:\n  mine:\n    auth:\n      auth_url: https://cloud.example/identity/v3\n{auth}{beside}");
        cases.push(json!({ "clouds": clouds, "secure": null, "environment": {}, "name": "mine" }));
        number += 1;
        let Some(at) = (0..AUTH.len()).find(|at| picks[*at] + 1 < AUTH[*at].len()) else { break };
        picks[at] += 1;
        picks[..at].fill(0);
    }
    cases.extend(others());
    cases
}

/// Cases that no combination covers.
fn others() -> Vec<Value> {
    let case = |clouds: Value, secure: Value, environment: Value| json!({ "clouds": clouds, "secure": secure, "environment": environment, "name": null });
    let rc = json!({
        "OS_AUTH_URL": "http://cloud.example:5000/", "OS_USERNAME": "ann", "OS_PASSWORD": "0123", "OS_PROJECT_NAME": "shop",
        "OS_USER_DOMAIN_NAME": "Default", "OS_PROJECT_DOMAIN_ID": "default", "OS_REGION_NAME": "north", "OS_INTERFACE": "internal",
    });
    let with = |key: &str, value: &str| {
        let mut rc = rc.clone();
        rc[key] = value.into();
        rc
    };
    let application = "clouds: {a: {auth_type: v3applicationcredential, auth: {auth_url: 'http://x:5000', application_credential_id: '42', application_credential_secret: s}}}";
    let named = "clouds: {a: {auth_type: v3applicationcredential, auth: {auth_url: 'http://x:5000', application_credential_name: n, application_credential_secret: s, username: u, user_domain_name: d}}}";
    let token = "clouds: {a: {auth_type: token, auth: {auth_url: 'http://x:5000', token: t, project_id: p}}}";
    let two = "clouds: {a: {auth: {auth_url: 'http://a/v3', username: u, password: p, project_id: q, user_domain_id: d}}, b: {auth: {auth_url: 'http://b/v3', username: u, password: p, project_id: q, user_domain_id: d}}}";
    let secret = "clouds: {a: {auth: {password: hush}}}";
    let open = "clouds: {a: {auth: {auth_url: 'http://a/v3', username: u, project_id: q, user_domain_id: d}}}";
    vec![
        case(Value::Null, Value::Null, rc.clone()),
        case(Value::Null, Value::Null, with("OS_ENDPOINT_TYPE", "publicURL")),
        case(Value::Null, Value::Null, with("OS_CACERT", "/etc/hosts")),
        case(application.into(), Value::Null, json!({})),
        case(named.into(), Value::Null, json!({})),
        case(token.into(), Value::Null, json!({})),
        case(two.into(), Value::Null, json!({ "OS_CLOUD": "b" })),
        // For settings that the cloud lacks, the library leaves the environment's values to its caller.
        case(two.into(), Value::Null, {
            let mut rc = with("OS_CLOUD", "a");
            rc.as_object_mut().expect("a map").retain(|key, _| !["OS_REGION_NAME", "OS_INTERFACE"].contains(&&**key));
            rc
        }),
        case(open.into(), secret.into(), json!({})),
    ]
}

/// The settings that the clients read.
fn read(cases: &[Value]) -> Vec<Value> {
    let mut tool = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .arg("clouds.py")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tests/heat/run starts");
    let mut input = tool.stdin.take().expect("a pipe");
    input.write_all(json!(cases).to_string().as_bytes()).expect("it reads");
    drop(input);
    let output = tool.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("answers")
}

fn ours(case: &Value) -> Result<Value, String> {
    let file = |key: &str| case[key].as_str().map(|text| (format!("{key}.yaml"), text.to_owned()));
    let environment: BTreeMap<String, String> = serde_json::from_value(case["environment"].clone()).expect("variables");
    let sources = CloudConfig { clouds: file("clouds"), secure: file("secure"), environment };
    let cloud = Cloud::choose(&sources, case["name"].as_str()).map_err(|error| error.to_string())?;
    Ok(json!({
        "auth_url": cloud.auth_url,
        "request": identity::login(&cloud).body,
        "region": cloud.region,
        "interface": cloud.interface,
        "verify": cloud.verify,
        "cacert": cloud.cacert.filter(|_| cloud.verify),
    }))
}

#[test]
fn clouds_are_what_other_clients_take_them_for() {
    let cases = cases();
    let theirs = read(&cases);
    assert_eq!(theirs.len(), cases.len());
    let (mut alike, mut refused, mut wrong) = (0, 0, Vec::new());
    for (case, mut theirs) in cases.iter().zip(theirs) {
        if theirs["interface"] == "publicURL" {
            theirs["interface"] = "public".into();
        }
        match (ours(case), theirs.get("error")) {
            (Ok(ours), None) if ours == theirs => alike += 1,
            (Err(_), Some(_)) => refused += 1,
            // wattle refuses an empty password or a missing project as a mistake; other clients send it.
            (Err(error), None) if error.contains("has no `password`") || error.contains("has no project") => {
                refused += 1;
            }
            (ours, _) => wrong.push(format!("{case}\nours   {}\ntheirs {theirs}", ours.unwrap_or_else(Value::String))),
        }
    }
    println!("{alike} alike, {refused} refused");
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong[..wrong.len().min(8)].join("\n\n")
    );
    assert!(alike > 100 && refused > 20, "{alike} alike, {refused} refused");
}
