//! The certificates of `wattle ca`: members start with them, and operators and servers trust only them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use wattle_agent_core::time::Time;
use wattle_runtime::ca::CertificateAuthority;
use wattle_tests::running::to_its_end;
use wattle_tests::zookeeper::{ZooKeeper, secure_with};

use crate::place::Place;

const DAY: Duration = Duration::from_hours(24);

/// A ZooKeeper with this key and certificate, and its TLS address.
fn start(pem: &Path) -> (ZooKeeper, String) {
    let zookeeper = ZooKeeper::start_with(1, |zkd: &mut Command, _| secure_with(zkd, pem, "127.0.0.1"));
    let space = format!("zookeeper+tls://{}", zookeeper.secure_hosts());
    (zookeeper, space)
}

#[test]
fn a_data_space_needs_no_other_tool() {
    let mut place = Place::new();
    for args in [&["ca", "new"][..], &["ca", "issue", "zk1.example.com", "127.0.0.1", "localhost", "::1"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    let mode = |name: &str| fs::metadata(place.at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(["ca.key", "zk1.example.com.pem"].map(mode), [0o600; 2]);
    let (zookeeper, space) = start(&place.at("zk1.example.com.pem"));

    let ran = place.run(&["seed", "apply", ".", "--space", &space, "--ca", "ca.pem"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    // Servers get the authority's certificate, but no key.
    assert_eq!(place.parameter("wattle_space_ca"), fs::read_to_string(place.at("ca.pem")).unwrap());
    place.start();
    let get = [
        "get",
        "alice/greeter/greeting",
        "--wait",
        "--timeout",
        "2m",
        "--ca",
        "ca.pem",
        "--key",
        "operator.key",
        "--space",
    ];
    for space in [space.clone(), space.replace("127.0.0.1", "localhost")] {
        let ran = place.run(&[&get[..], &[&space]].concat());
        assert!(ran.out.starts_with("hello bob"), "{ran}");
    }

    // Another authority from the same tool is not trusted.
    let ran = place.run(&["ca", "new", "--out", "other"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ran = place.run(&["status", "--space", &space, "--ca", "other/ca.pem"]);
    assert!(ran.code == Some(1) && ran.err.contains("certificate"), "{ran}");
    let ran = place.run(&["status", "--space", &space]);
    assert!(ran.code == Some(1) && ran.err.contains("certificate"), "{ran}");
    drop(zookeeper);
}

/// A member with a certificate for another host, or with an expired one, receives no password.
#[test]
fn a_member_with_a_certificate_that_does_not_count_is_refused() {
    let place = Place::new();
    for args in [&["ca", "new"][..], &["ca", "issue", "127.0.0.2", "zookeeper.example"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    let read = |name: &str| fs::read_to_string(place.at(name)).unwrap();
    let authority = CertificateAuthority::read(&read("ca.pem"), &read("ca.key")).unwrap();
    let now = Time::from(SystemTime::now());
    let day = |ago: u64| Time::from_secs(now.as_secs() - ago * 24 * 60 * 60);
    let ended = authority.issue(&["127.0.0.1".parse().unwrap()], day(3)..day(1)).unwrap();
    fs::write(place.at("ended.pem"), ended.pem).unwrap();
    let later = authority.issue(&["127.0.0.1".parse().unwrap()], now + DAY * 2..now + DAY * 3).unwrap();
    fs::write(place.at("later.pem"), later.pem).unwrap();
    let expired = format!(
        "expired on {:.0}: nothing connects to it until it has a new one, for example from `wattle ca issue`",
        ended.until
    );
    for (pem, why) in [
        ("127.0.0.2.pem", "not valid for"),
        ("ended.pem", &*expired),
        ("later.pem", "and the clock of this machine says"),
    ] {
        let (_zookeeper, space) = start(&place.at(pem));
        let ran = place.run(&["seed", "apply", ".", "--space", &space, "--ca", "ca.pem"]);
        assert!(ran.code == Some(1) && ran.err.contains(why), "{pem}: {ran}");
        assert!(!place.at("credentials.yaml").exists(), "{pem}: servers were told of it");
    }
}

/// Operators and servers report that a member's certificate has expired, and a new certificate is enough.
#[test]
fn a_certificate_that_has_ended_is_reported_in_words_and_renewed() {
    let place = Place::new();
    for args in [&["ca", "new"][..], &["ca", "issue", "127.0.0.1", "--days", "1"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    let (zookeeper, space) = start(&place.at("127.0.0.1.pem"));
    let ran = place.run(&["seed", "apply", ".", "--space", &space, "--ca", "ca.pem"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    drop(zookeeper);
    let read = |name: &str| fs::read_to_string(place.at(name)).unwrap();
    let authority = CertificateAuthority::read(&read("ca.pem"), &read("ca.key")).unwrap();
    let now = Time::from(SystemTime::now());
    let past = |days: u64| Time::from_secs(now.as_secs() - days * DAY.as_secs());
    let ended = authority.issue(&["127.0.0.1".parse().unwrap()], past(3)..past(1)).unwrap();
    fs::write(place.at("127.0.0.1.pem"), ended.pem).unwrap();
    let (zookeeper, space) = start(&place.at("127.0.0.1.pem"));
    let mut identity = place.identity("alice");
    identity["space"] = space.as_str().into();
    let said = format!("the certificate of this member expired on {:.0}", ended.until);
    for ran in [
        to_its_end(&mut place.agent(&identity)),
        place.run(&["status", "--space", &space, "--ca", "ca.pem", "--key", "operator.key"]),
        place.run(&["get", "alice/greeter/greeting", "--space", &space, "--ca", "ca.pem", "--key", "operator.key"]),
    ] {
        assert!(ran.code == Some(1) && ran.err.contains(&said), "{ran}");
    }
    drop(zookeeper);
    let ran = place.run(&["ca", "issue", "127.0.0.1", "--out", "new.pem"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let (_zookeeper, space) = start(&place.at("new.pem"));
    let ran = place.run(&["status", "--space", &space, "--ca", "ca.pem", "--key", "operator.key"]);
    assert!(!ran.err.contains("certificate"), "{ran}");
}

/// An operator may use a company's authority: one from any tool, and an intermediate one.
#[test]
fn an_authority_of_the_companys_signs_as_well() {
    let place = Place::new();
    let openssl = |arguments: &str| {
        let mut openssl = Command::new("openssl");
        let ran = to_its_end(openssl.args(arguments.split(' ')).current_dir(place.at("")));
        assert_eq!(ran.code, Some(0), "{ran}");
    };
    fs::create_dir(place.at("ours")).unwrap();
    openssl("req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 30 -subj /C=DE/O=Acme/CN=root");
    openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:secp384r1 -nodes -keyout ours/ca.key -out ours/own.pem -days 20 \
         -subj /C=DE/O=Acme/CN=zookeepers -CA root.pem -CAkey root.key -addext basicConstraints=critical,CA:TRUE,pathlen:0",
    );
    let both = ["ours/own.pem", "root.pem"].map(|name| fs::read(place.at(name)).unwrap()).concat();
    fs::write(place.at("ours/ca.pem"), both).unwrap();
    let ran = place.run(&["ca", "issue", "127.0.0.1", "--ca", "ours", "--out", "server.pem"]);
    assert!(ran.code == Some(0) && ran.out.contains(", as its authority does"), "{ran}");
    let (_zookeeper, space) = start(&place.at("server.pem"));
    for ca in ["root.pem", "ours/ca.pem"] {
        let ran = place.run(&["seed", "apply", ".", "--space", &space, "--ca", ca]);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
}

#[test]
fn nothing_is_written_over() {
    let place = Place::new();
    let files = || ["ca.pem", "ca.key", "zk1.pem"].map(|name| fs::read(place.at(name)).ok());
    let refused = |args: &[&str], code: i32, why: &str| {
        let before = files();
        let ran = place.run(args);
        assert!(ran.code == Some(code) && ran.err.contains(why), "{args:?}: {ran}");
        assert!(files() == before, "{args:?} has changed something");
    };
    refused(&["ca", "issue", "zk1"], 2, "`wattle ca new` makes an authority");
    fs::write(place.at("ca.key"), "mine").unwrap();
    refused(&["ca", "new"], 3, "`ca.key` already exists");
    fs::remove_file(place.at("ca.key")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.at("ca.pem")).unwrap();
    refused(&["ca", "new"], 3, "`ca.pem` already exists");
    fs::remove_file(place.at("ca.pem")).unwrap();

    assert_eq!(place.run(&["ca", "new"]).code, Some(0));
    refused(&["ca", "new"], 3, "already exists");
    refused(&["ca", "issue", "zk1", ""], 2, "it is empty");
    refused(&["ca", "issue", "zk1:2281"], 2, "without a port");
    refused(&["ca", "issue", "zk1", "*.example.com"], 2, "name each server");
    refused(&["ca", "issue", "zk1", "--ca", "ca.pem"], 2, "is a file");
    refused(&["ca", "issue", "zk1", "--days", "0"], 2, "write a whole number from 1 to 36500");
    refused(&["ca", "issue"], 2, "<HOST>");
    assert_eq!(place.run(&["ca", "issue", "zk1"]).code, Some(0));
    refused(&["ca", "issue", "zk1"], 3, "`zk1.pem` already exists");
    // The key of another authority.
    assert_eq!(place.run(&["ca", "new", "--out", "other"]).code, Some(0));
    fs::copy(place.at("other/ca.key"), place.at("ca.key")).unwrap();
    refused(&["ca", "issue", "zk2"], 2, "the key does not belong to the certificate");
}
