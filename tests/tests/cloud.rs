//! The simulated cloud is compatible with OpenStack's own client.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wattle_cloud::Setting;
use wattle_tests::cloud::CloudServer;

#[test]
fn openstacks_own_client_brings_up_a_site_and_takes_it_down() {
    let cloud = CloudServer::start(Setting { takes: Duration::from_millis(300), page: 3, ..Setting::default() });
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .args(["cloud_life.py", &cloud.auth_url()])
        .stderr(Stdio::piped())
        .output()
        .expect("tests/heat/run starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let seen: Value = serde_json::from_slice(&output.stdout).expect("what was seen");
    let refusal = |what: &str| {
        let status = seen[what][0].as_u64().unwrap_or_else(|| panic!("{what}: {seen:#}"));
        (status, seen[what][1].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!((&seen["image"], &seen["flavor"]), (&json!("debian-12"), &json!(2_048)));
    assert_eq!((&seen["address"], &seen["floating"]), (&json!("10.0.0.2"), &json!("ACTIVE")));
    assert_eq!((&seen["server"], &seen["addresses"]), (&json!("ACTIVE"), &json!(["10.0.0.2", "10.78.0.2"])));
    assert_eq!([&seen["tagged"], &seen["listed"], &seen["member"]], [&json!([true]), &json!([true]), &json!(true)]);
    assert_eq!((&seen["volume"], &seen["rebuilt"]), (&json!("in-use"), &json!(["ACTIVE", "debian-13"])));
    let expected = [
        ("the same rule", 409, "already exists"),
        ("a volume that is in use", 400, "must not be migrating, attached"),
        ("a network that is in use", 409, "one or more ports still in use"),
        ("a group that is in use", 409, "in use"),
    ];
    for (what, status, words) in expected {
        let (refused, said) = refusal(what);
        assert!(refused == status && said.contains(words), "{what}: {refused} {said}");
    }
    let left = seen["left"].as_object().expect("what is left");
    assert!(left.len() == 8 && left.values().all(|things| *things == json!([])), "{left:?}");
}
