//! The certificate authorities that operators and servers trust.

use std::fs;

use wattle_tests::running::to_its_end;
use wattle_tests::zookeeper::ZooKeeper;

use crate::place::Place;

#[test]
fn servers_learn_whose_certificates_the_data_space_has() {
    let zookeeper = ZooKeeper::start_secure(1);
    let space = format!("zookeeper+tls://{}", zookeeper.secure_hosts());
    let ca = zookeeper.ca().display().to_string();
    let mut place = Place::new();
    // If the file also contains the key, that must not be sent.
    let both = [fs::read(zookeeper.dir().join("ca.key")).unwrap(), fs::read(&ca).unwrap()];
    fs::write(place.at("both.pem"), both.concat()).unwrap();
    let ran = place.run(&["seed", "apply", ".", "--space", &space, "--ca", "both.pem"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(place.parameter("wattle_space"), space);
    assert_eq!(place.parameter("wattle_space_ca"), fs::read_to_string(&ca).unwrap());

    place.start();
    let get = ["get", "alice/greeter/greeting", "--wait", "--timeout", "2m", "--space"];
    let ran = place.run(&[&get[..], &[&space, "--ca", &ca]].concat());
    assert!(ran.out.starts_with("hello bob"), "{ran}");
    let ran = place.run(&[&get[..], &[&zookeeper.secure_address()]].concat());
    assert!(ran.out.starts_with("hello bob"), "{ran}");
    let ran = place.run(&["status", "--space", &space]);
    assert!(ran.code == Some(1) && ran.err.contains("certificate"), "{ran}");
}

/// An impostor of the ZooKeeper has a certificate of another authority, or one for another host.
#[test]
fn nobody_goes_on_with_who_answers_in_the_zookeepers_place() {
    let zookeeper = ZooKeeper::start_secure(1);
    let space = format!("zookeeper+tls://{}", zookeeper.secure_hosts());
    let place = Place::new();
    let ran = place.run(&["seed", "apply", ".", "--space", &zookeeper.secure_address()]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let other = fs::read_to_string(zookeeper.dir().join("other.pem")).unwrap();
    let elsewhere = space.replace("127.0.0.1", "localhost");
    let ca = place.parameter("wattle_space_ca");
    for (space, ca) in [(&space, &*other), (&space, ""), (&elsewhere, &ca)] {
        let mut identity = place.identity("alice");
        identity["space"] = space.as_str().into();
        identity["ca"] = ca.into();
        let ran = to_its_end(&mut place.agent(&identity));
        assert!(ran.code == Some(1) && ran.err.contains("certificate"), "{space}: {ran}");
        let mut args = vec!["status", "--space", space, "--key", "operator.key"];
        fs::write(place.at("given.pem"), ca).unwrap();
        if !ca.is_empty() {
            args.extend(["--ca", "given.pem"]);
        }
        let ran = place.run(&args);
        assert!(ran.code == Some(1) && ran.err.contains("certificate"), "{space}: {ran}");
    }
    let ran = place.run(&["status", "--space", &space, "--ca", "seed.yaml"]);
    assert!(ran.code == Some(2) && ran.err.contains("holds no certificate"), "{ran}");
    let ran = place.run(&["status", "--space", &zookeeper.address(), "--ca", "given.pem"]);
    assert!(ran.code == Some(2) && ran.err.contains("has no effect"), "{ran}");
}
