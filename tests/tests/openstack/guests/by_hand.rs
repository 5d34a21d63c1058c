//! A stack created by OpenStack's own client: its servers generate keys, one is rebuilt, and all of them get new
//! credentials, for which Heat replaces them.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;
use wattle::author::Blueprint as _;
use wattle_tests::command::said;
use wattle_tests::openstack::has_guests;
use wattle_tests::running::{Ran, answer_within};
use wattle_tests::site::NOTHING;

use super::super::KEY;
use super::{Guests, LONGEST, agent_by_url};

/// The stack, and the values of its parameters, in the client's form.
struct ByHand {
    guests: Guests,
    values: Vec<String>,
}

impl ByHand {
    fn new() -> Self {
        let guests = Guests::new(&hello::hello.model(Default::default()));
        let agent = agent_by_url(guests.site.path());
        let values = agent.into_iter().map(|word| if word == "-P" { "--parameter".to_owned() } else { word }).collect();
        Self { guests, values }
    }

    /// Makes the client create or update the stack, and waits for Heat.
    fn stack(&self, what: &str) {
        let mut client = Command::new("openstack");
        client.args(["stack", what, "-t", "template.yaml", "-e", "environment.yaml", "-e", "credentials.yaml"]);
        said(client.args(&self.values).args(["--wait", "hello"]).current_dir(self.guests.site.path()));
    }

    /// Runs `wattle ...`, which must succeed.
    fn ask(&self, args: &[&str]) -> Ran {
        let ran = self.guests.site.ask_patiently(&[args, &KEY].concat(), LONGEST);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
        ran
    }

    fn status(&self) -> Value {
        let ran = self.guests.site.ask(&[&["status", "--format", "json"][..], &KEY].concat());
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran}"))
    }

    /// Waits until everything is done on servers that have booted since `before`. Returns their boot IDs.
    fn done_after(&self, before: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        answer_within(LONGEST, "everything is done", || {
            let status = self.status();
            let is_done = status["components"]["done"] == 2;
            let boots = boots(&status);
            let is_new = boots.len() == 2 && boots.iter().all(|(server, boot)| before.get(server) != Some(boot));
            (is_done && is_new).then_some(boots)
        })
    }
}

/// The boot ID of the host of each server's agent.
fn boots(status: &Value) -> BTreeMap<String, String> {
    let servers = status["servers"].as_object().expect("servers").iter();
    servers.filter_map(|(name, server)| Some((name.clone(), server["agent"]["boot"].as_str()?.to_owned()))).collect()
}

#[test]
fn servers_get_other_keys_and_credentials_in_guests_of_a_real_openstack() {
    if !has_guests("a stack of OpenStack's client whose servers get other keys") {
        return;
    }
    let stack = ByHand::new();
    let ran = stack.guests.site.ask(&["seed", "apply", "."]);
    assert_eq!(ran.code, Some(0), "{ran}");
    stack.stack("create");
    stack.ask(&["seed", "admit", "--wait", "--timeout", "30m"]);
    let first = stack.done_after(&BTreeMap::new());
    let ids = ["alice", "bob"].map(|server| stack.guests.site.server(server));

    // A rebuilt server has the credential of its user data and a new key.
    said(Command::new("openstack").args(["server", "rebuild", "--wait", &ids[0]]));
    let key = answer_within(LONGEST, "a second alice", || {
        let others = stack.status()["admission"]["others"].take();
        let other = others.as_array()?.iter().find(|other| other["server"] == "alice")?;
        Some(other["key"].as_str()?.to_owned())
    });
    let log = answer_within(LONGEST, "its log", || {
        stack.guests.on("alice", "journalctl --no-pager -u wattle-agent").filter(|log| log.contains(&key))
    });
    assert!(log.contains("waits to be admitted"), "{log}");
    stack.ask(&["seed", "admit", "alice", "--fingerprint", &key]);
    let second = stack.done_after(&BTreeMap::from([("alice".to_owned(), first["alice"].clone())]));
    assert_eq!(second["bob"], first["bob"]);
    assert_eq!(["alice", "bob"].map(|server| stack.guests.site.server(server)), ids);

    // With new credentials, Heat replaces the servers.
    stack.ask(&["seed", "apply", ".", "--renew"]);
    stack.stack("update");
    stack.ask(&["seed", "admit", "--wait", "--timeout", "30m"]);
    stack.done_after(&second);
    for (server, id) in ["alice", "bob"].into_iter().zip(&ids) {
        assert_ne!(stack.guests.site.server(server), *id, "{server} is another server");
    }
    let ran = stack.ask(&["get", "alice/greeter/greeting"]);
    assert!(ran.out.starts_with("hello bob, this is "), "{ran}");
    said(Command::new("openstack").args(["stack", "delete", "--yes", "--wait", "hello"]));
    stack.ask(&["seed", "delete", "hello", "--force"]);
    assert_eq!(stack.guests.site.counts(), NOTHING);
}
