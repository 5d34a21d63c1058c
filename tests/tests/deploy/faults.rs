//! `wattle cloud` in a separate process injects the configured faults.

use std::process::Command;

use wattle_tests::cloud::CloudProcess;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{eventually, to_its_end};
use wattle_tests::site::{NOTHING, SHOP, Site};

use super::KEY;

fn with(rules: &[&str]) -> CloudProcess {
    let options: Vec<&str> = rules.iter().flat_map(|rule| ["--fault", rule]).collect();
    CloudProcess::start(&options)
}

#[test]
fn what_a_simulated_cloud_is_told_to_do_wrong_is_got_over() {
    let cloud = with(&[
        "POST /networks: lost reply",
        "POST /security-groups: 429 retry after 1s, 2 times",
        "POST /routers: 503",
        "POST /ports: late by 2s",
        "GET /ports: 500, 3 times, after 1",
        "DELETE /networks: 409, 2 times",
    ]);
    let site = Site::at(cloud, "demo");
    site.deployed(&[]);
    assert_eq!(site.counts(), SHOP);
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}

#[test]
fn what_breaks_in_a_simulated_cloud_is_said_and_made_anew() {
    // The server must vanish after the first deployment has ended, on a slow machine, too.
    let cloud =
        with(&["POST /servers: ERROR, after 1", "POST /floatingips: quota", "POST /servers: vanishes after 30s"]);
    let site = Site::at(cloud, "demo");
    let ran = site.deploy(&[]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("Quota exceeded") && ran.err.contains("`openstack quota show`"), "{ran}");
    // The broken server is gone already.
    let before = site.counts()[0];
    eventually("another server has vanished", || site.counts()[0] == before - 1);
    site.deployed(&KEY);
    assert_eq!(site.counts(), SHOP);
}

#[test]
fn faults_that_are_none_are_refused_with_what_was_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |options: &[&str], says: &str| {
        let mut command = Command::new(wattle());
        command.args(["cloud", "--listen", "127.0.0.1:0"]).args(options).current_dir(folder.path());
        let ran = to_its_end(apart(&mut command, folder.path()));
        assert!(ran.code == Some(2) && ran.err.contains(says), "{options:?}: {ran}");
    };
    refused(&["--fault", "POST /severs: 503"], "nothing is at `/severs`; did you mean `/servers`?");
    refused(&["--fault", "POST /servers: lost replay"], "there is no `lost replay`; did you mean `lost reply`?");
    refused(&["--fault", "/servers"], "write `METHOD PATH: WHAT`, such as `POST /servers: lost reply`");
    refused(&["--without", "block-storag"], "block-storage");
    assert!(!folder.path().join("clouds.yaml").exists());
}

#[test]
fn a_deployment_does_not_take_one_simulated_cloud_for_another() {
    let (first, second) = (with(&[]), with(&[]));
    let other = second.clouds();
    let site = Site::at(first, "demo");
    site.deployed(&[]);
    // The first cloud still exists. `deploy` must not look for the stack in another one, where all of it would be
    // missing.
    std::fs::write(site.path().join("clouds.yaml"), other).expect("writes");
    let ran = site.deploy(&KEY);
    assert!(ran.code == Some(2) && ran.err.contains("was deployed in another cloud or project than this"), "{ran}");
    assert_eq!(site.counts(), NOTHING);
}
