//! `wattle hosts` reads the hosts of a real cloud, and servers run where `deploy --hosts` has placed them.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use wattle_tests::command::{apart, wattle};
use wattle_tests::openstack::admin::Administrator;
use wattle_tests::openstack::{Named, is_there};
use wattle_tests::running::{Ran, to_its_end};
use wattle_tests::site::{Ground, NOTHING, Site};

use super::KEY;

/// Runs `wattle hosts` beside the stack.
fn hosts(site: &Site<impl Ground>) -> Ran {
    let mut command = Command::new(wattle());
    command.args(["hosts", "--cloud", "real"]).current_dir(site.path());
    to_its_end(apart(&mut command, site.path()))
}

/// The lines of the hosts file about hosts.
fn of_hosts(file: &str) -> Vec<&str> {
    file.lines().filter(|line| line.starts_with("  lab")).collect()
}

#[test]
fn servers_go_to_the_hosts_that_they_are_placed_on_on_a_real_openstack() {
    if !is_there("`wattle hosts`, and `deploy --hosts`") {
        return;
    }
    // Users without administrator rights may not see hosts.
    let ran = hosts(&Site::at(Named, &Named::password()));
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("administrator"), "{ran}");

    let site = Site::at(Administrator, &Administrator::password());
    let before = hosts(&site);
    assert_eq!(before.code, Some(0), "{before}");
    let all = of_hosts(&before.out);
    assert!(["  lab: {", "  lab-2: {", "  lab-3: {"].iter().all(|host| before.out.contains(host)), "{before}");
    assert!(all.iter().all(|host| host.contains("vcpus: ") && host.contains("memory: ")), "{before}");
    fs::write(site.path().join("cloud.yaml"), &before.out).expect("writes");
    let ran = site.deploy(&["--hosts", "cloud.yaml", "--admin"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let stand = site.standing();
    assert_eq!(stand.len(), 4, "{ran}");
    for (server, host) in &stand {
        let is_said = |line: &str| line.split_whitespace().take(2).eq([server.as_str(), host]);
        assert!(ran.out.lines().any(is_said), "{server} is on {host}: {ran}");
    }
    // Placement knows the resources in use, and so does the file.
    let after = hosts(&site);
    let used = of_hosts(&after.out).into_iter().filter(|host| host.contains("used: {")).count();
    let hosts_in_use: BTreeSet<&String> = stand.values().collect();
    assert!(used >= hosts_in_use.len() && after.out != before.out, "{after}");
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    assert_eq!(hosts(&site).out, before.out);
}
