//! A data space on the cloud itself, for whoever has none: three `ZooKeeper`s with TLS, and a stack that uses them.

use std::fs;
use std::process::{Command, Stdio};

use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, wattle};
use wattle_tests::openstack::{Named, has_guests};
use wattle_tests::running::{Ran, Stage, to_its_end_within};
use wattle_tests::site::Ground as _;

use super::{LONGEST, agent_by_url};

/// Somebody with a cloud and nothing else.
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
    let ran = beginner.ask(&["space", "new", "--network", "private", "--image", "debian-12", "--yes"]);
    assert!(ran.err.contains("✓ zookeeper3 created"), "{ran}");
    let agent = agent_by_url(beginner.0.path());
    let agent: Vec<&str> = agent.iter().map(|word| &**word).collect();
    let ran = beginner.ask(&[&["deploy", ".", "--yes", "--space", "new"], &*agent].concat());
    let greeting = ran.export("greeting");
    assert!(greeting.starts_with("hello bob, this is "), "{greeting}");
    let ran = beginner.ask(&["status", "--space", "new", "--key", "operator.key"]);
    assert!(ran.out.contains("done"), "{ran}");
    beginner.ask(&["destroy", "--yes", "--space", "new", "--key", "operator.key"]);
    let ran = beginner.ask(&["space", "destroy", "--yes"]);
    assert!(ran.out.contains("is gone"), "{ran}");
}
