//! Unencrypted traffic stays on this machine, unless the user declares the network as trusted.

use std::process::Command;

use serde_json::json;
use wattle_runtime::seed::write_operator_key;
use wattle_runtime::space::{Credential, OperatorKey};
use wattle_tests::running::to_its_end;
use wattle_tests::skip::skipped;
use wattle_tests::zookeeper::ZooKeeper;

use crate::place::{Place, address};
use crate::pretender::Pretender;

#[test]
fn no_password_crosses_the_network_in_clear() {
    let Some(address) = address() else { return skipped("passwords in clear", "this machine has no network") };
    let pretender = Pretender::start(address);
    let space = format!("zookeeper://{}", pretender.host());
    let place = Place::new();
    write_operator_key(&place.at("operator.key"), &OperatorKey::generate()).unwrap();
    for args in [
        &["status", "--stack", "hello"][..],
        &["seed", "apply", "."],
        &["seed", "delete", "hello", "--yes"],
        &["plan", "."],
        &["ls"],
    ] {
        let ran = place.run(&[args, &["--space", &space, "--key", "operator.key"]].concat());
        assert_eq!(pretender.heard(), "", "{args:?}: it was told to who answers there");
        assert!(ran.code == Some(2) && ran.err.contains("is not encrypted"), "{args:?}: {ran}");
        assert!(ran.err.contains("`zookeeper+tls://`") && ran.err.contains("`--insecure`"), "{args:?}: {ran}");
    }
    let credential = Credential::generate(OperatorKey::generate().signer().authority()).expose();
    let identity = json!({"stack": "hello", "server": "alice", "space": space, "credential": credential});
    let ran = to_its_end(&mut place.agent(&identity));
    assert!(ran.code == Some(1) && ran.err.contains("add `?insecure` if"), "{ran}");
    assert_eq!(pretender.heard(), "");
}

#[test]
fn who_trusts_the_network_tells_the_servers_too() {
    let Some(address) = address() else { return skipped("a network that is trusted", "this machine has no network") };
    let zookeeper = ZooKeeper::start_with(1, |zkd: &mut Command, _| {
        zkd.env("ZK_ADDRESS", address.to_string());
    });
    let space = zookeeper.address();
    let mut place = Place::new();
    let ran = place.run(&["seed", "apply", ".", "--space", &space, "--insecure"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(place.parameter("wattle_space"), format!("{space}?insecure"));
    place.start();
    let get = ["get", "alice/greeter/greeting", "--wait", "--timeout", "2m", "--space"];
    let ran = place.run(&[&get[..], &[&space, "--insecure"]].concat());
    assert!(ran.out.starts_with("hello bob"), "{ran}");
    // The address that the servers get works unchanged, too.
    let ran = place.run(&[&get[..], &[&place.parameter("wattle_space")]].concat());
    assert!(ran.out.starts_with("hello bob"), "{ran}");
}
