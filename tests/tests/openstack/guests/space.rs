//! A data space in the cloud itself, for users who have none: three `ZooKeeper`s with TLS, and a stack that uses them.

use std::fs;
use std::process::{Command, Stdio};

use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, said, wattle};
use wattle_tests::openstack::{Named, has_guests};
use wattle_tests::running::{Ran, Stage, to_its_end_within};
use wattle_tests::site::Ground as _;

use super::{LONGEST, agent_by_url};

/// A user with a cloud and nothing else.
struct Beginner(Stage);

impl Beginner {
    fn ask(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(wattle());
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OS_")) {
            command.env_remove(variable);
        }
        apart(&mut command, self.0.path());
        let ran = to_its_end_within(&mut command, LONGEST);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
        ran
    }
}

#[test]
fn a_data_space_is_made_and_used_in_guests_of_a_real_openstack() {
    if !has_guests("a data space of one's own") {
        return;
    }
    let beginner = Beginner(Stage::new(&hello::hello.model(Default::default())));
    fs::write(beginner.0.path().join("clouds.yaml"), Named.clouds(&Named::password())).expect("writes");
    let agent = agent_by_url(beginner.0.path());
    let agent: Vec<&str> = agent.iter().map(|word| &**word).collect();
    let ran = beginner.ask(&[&["deploy", ".", "--yes", "--space", "new"], &*agent].concat());
    assert!(ran.err.contains("✓ zookeeper3 created"), "{ran}");
    let greeting = ran.export("greeting");
    assert!(greeting.starts_with("hello bob, this is "), "{greeting}");
    let status = |space: &str| {
        let ran = beginner.ask(&["status", "--space", space, "--key", "operator.key"]);
        assert!(ran.out.contains("done"), "{ran}");
    };
    status("new");
    // Each member serves requests, and one may fail.
    let address = fs::read_to_string(beginner.0.path().join("wattle-space/address")).expect("an address");
    let (hosts, authority) =
        address.trim().trim_start_matches("zookeeper+tls://").split_once('?').expect("an authority");
    let hosts: Vec<&str> = hosts.split(',').collect();
    assert_eq!(hosts.len(), 3, "{address}");
    for host in hosts {
        assert!(host.starts_with("10.78.0."), "a floating IP: {host}");
        status(&format!("zookeeper+tls://{host}?{authority}"));
    }
    let stop = "openstack server stop $(openstack server list -f value -c Name | grep -- '-zookeeper2$')";
    said(Command::new("bash").args(["-euc", stop]));
    status("new");
    beginner.ask(&["destroy", "--yes", "--space", "new", "--key", "operator.key"]);
    let ran = beginner.ask(&["space", "destroy", "--yes"]);
    assert!(ran.out.contains("is gone"), "{ran}");
}
