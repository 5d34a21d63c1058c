//! `wattle plan --cloud` compares with the actual state, and `deploy` carries out the plan.

use serde_json::{Value, json};
use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::cloud::CloudServer;
use wattle_tests::running::Ran;
use wattle_tests::site::{Ground as _, NOTHING, PASSWORD, SHOP, Site};
use wattle_tests::skip::everything;

use crate::KEY;
use crate::plain::Plain;

fn plan(site: &Site, more: &[&str]) -> Ran {
    let plan = ["plan", ".", "--cloud", "simulated", "-P", PASSWORD];
    site.ask(&[&plan[..], &KEY, more].concat())
}

#[test]
fn what_is_not_in_the_cloud_as_it_was_deployed_is_planned_and_put_right() {
    let site = Site::new();
    let ran = site.ask(&["seed", "apply", ".", "-P", PASSWORD]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ran = plan(&site, &[]);
    assert!(ran.code == Some(4) && ran.err.contains("nothing of `three_tier` is deployed in the cloud"), "{ran}");
    assert!(ran.out.contains("+ app1 (OS::Nova::Server): is created"), "{ran}");
    // So `deploy` asks for confirmation.
    let ran = site.ask(&["deploy", ".", "-P", PASSWORD, KEY[0], KEY[1], "--credentials", "credentials.yaml"]);
    assert!(ran.code == Some(2) && ran.err.contains("pass `--yes`"), "{ran}");
    assert!(ran.out.contains("+ app1 (OS::Nova::Server): is created"), "{ran}");
    site.deployed(&[&KEY[..], &["--credentials", "credentials.yaml"]].concat());
    let ran = plan(&site, &[]);
    assert!(ran.code == Some(0) && ran.err.contains("in the cloud `simulated` is as it was deployed"), "{ran}");
    // Someone deletes a server and removes the groups of a port.
    site.vanish("app1");
    let there = site.there();
    let port = there["ports"].iter().find(|port| port["name"].as_str().is_some_and(|name| name.contains("web-port")));
    let port = port.expect("the port")["id"].as_str().expect("text").to_owned();
    site.at_cloud(async |session| {
        let call = Call::new("network", Method::Put, format!("/ports/{port}"));
        session.call(call.body(json!({"port": {"security_groups": []}}))).await.expect("changed");
    });
    let ran = plan(&site, &[]);
    assert_eq!(ran.code, Some(4), "{ran}");
    let app = "+ app1 (OS::Nova::Server): is created\n      note: in the cloud it is gone\n    + app: runs\n";
    let port = "~ web-port (OS::Neutron::Port): changes in place\n      note: in the cloud it differs: ";
    assert!(ran.out.contains(app) && ran.out.contains(port), "{ran}");
    assert!(ran.out.contains("\n1 to create, 1 to update, 0 to replace, 0 to delete; "), "{ran}");
    let ran = plan(&site, &["--format", "json"]);
    let json: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(json["resources"]["app1"]["action"], "create", "{ran}");
    // The plan only reports; `deploy` acts.
    assert_eq!(site.there()["servers"].len(), 3);
    let said = site.deployed(&KEY);
    assert!(said.contains("✓ app1 created") && said.contains("✓ web-port changed"), "{said}");
    assert_eq!((plan(&site, &[]).code, site.counts()), (Some(0), SHOP.to_vec()));
}

#[test]
fn what_somebody_began_and_did_not_end_is_planned() {
    let site = Site::new();
    let mut deploying = site.begin(&[]);
    // Waits until some of it exists.
    let begun = std::time::Instant::now();
    while site.there()["networks"].is_empty() {
        assert!(begun.elapsed() < std::time::Duration::from_mins(1), "nothing is made");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    deploying.kill().expect("it runs");
    deploying.wait().expect("it ends");
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert!(ran.code == Some(4) && ran.out.contains("app1 is not there yet"), "{ran}");
    let ran = plan(&site, &["--credentials", "credentials.yaml"]);
    assert!(ran.code == Some(4) && ran.out.contains("note: in the cloud it is not there yet"), "{ran}");
    // This takes minutes, because it waits for requests that were never answered.
    if everything("deploy: what was begun is gone on with as it was planned") {
        site.deployed(&[&KEY[..], &["--credentials", "credentials.yaml"]].concat());
        assert_eq!((plan(&site, &[]).code, site.counts()), (Some(0), SHOP.to_vec()));
    }
}

#[test]
fn what_was_deployed_in_one_cloud_is_not_looked_for_in_another() {
    let site = Site::new();
    site.deployed(&[]);
    let other = CloudServer::start(Setting { number: 1, ..Setting::default() });
    std::fs::write(site.path().join("clouds.yaml"), other.clouds("demo")).expect("writes");
    for args in [&["destroy", "--yes"][..], &["drift"], &["drift", "--correct"], &["rollback", "--yes"]] {
        let ran = site.ask(&[args, &KEY].concat());
        assert!(ran.code == Some(2) && ran.err.contains("was deployed in another cloud or project"), "{ran}");
    }
    let ran = site.deploy(&KEY);
    assert!(ran.code == Some(2) && ran.err.contains("`--cloud NAME`"), "{ran}");
    site.clouds("demo");
    assert_eq!(site.counts(), SHOP);
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}

#[test]
fn who_watches_puts_right_what_somebody_changes() {
    if !everything("deploy: drift that is watched") {
        return;
    }
    let site = Site::new();
    site.deployed(&[]);
    let watch = ["drift", "--watch", "--correct", "--infrastructure-only", KEY[0], KEY[1]];
    let mut watching = site.start_alone(&watch);
    let patience = std::time::Duration::from_mins(3);
    watching.wait_for("is as it was deployed", patience);
    site.vanish("app1");
    watching.wait_for("app1 is gone", patience);
    watching.wait_for("again as it was deployed", patience);
    assert_eq!(site.counts(), SHOP);
    assert_eq!(watching.interrupt(), Some(0), "{}", watching.said());
}

/// A resource still exists beside its replacement, or although it was to be deleted.
#[test]
fn what_was_not_deleted_to_the_end_is_planned() {
    let disk = |more: &str| {
        format!(
            "heat_template_version: 2018-08-31\nresources:\n  disk: {{type: OS::Cinder::Volume, properties: {{size: 1{more}}}}}\n"
        )
    };
    let plain = Plain::new(&disk(""));
    let site = &plain.site;
    plain.deployed();
    let held = || {
        let never = Rule { times: u32::MAX, ..Rule::next(Method::Delete, "/volumes", Doing::Refused(409, None)) };
        site.cloud.world().befall(never);
    };
    held();
    plain.write(&disk(", availability_zone: nova"));
    let mut deploying = site.start_alone(&["deploy", "plain", "--yes", KEY[0], KEY[1]]);
    deploying.wait_for("✓ disk created", std::time::Duration::from_mins(1));
    std::thread::sleep(std::time::Duration::from_secs(2));
    deploying.interrupt();
    let ran = plain.plan();
    let says = "disk (OS::Cinder::Volume): changes in place\n      note: in the cloud it has replaced another one, \
                which still exists";
    assert!(ran.code == Some(4) && ran.out.contains(says), "{ran}");
    let ran = plain.drift();
    assert!(ran.code == Some(4) && ran.out.contains("disk has replaced another one"), "{ran}");
    site.cloud.world().calm();
    plain.deployed();
    assert_eq!((plain.volumes().len(), plain.plan().code), (1, Some(0)));
    // Someone has begun to destroy the stack.
    held();
    let mut destroying = site.start_alone(&["destroy", "--yes", KEY[0], KEY[1]]);
    std::thread::sleep(std::time::Duration::from_secs(4));
    destroying.interrupt();
    let ran = plain.plan();
    assert!(ran.code == Some(4) && ran.out.contains("in the cloud it is deleted"), "{ran}");
    site.cloud.world().calm();
    plain.deployed();
    assert_eq!((plain.volumes().len(), plain.plan().code), (1, Some(0)));
}

/// A change that wattle cannot make in place cannot be reverted either: the server is replaced, and the plan says so.
#[test]
fn a_password_that_is_said_no_longer_replaces_the_server() {
    let template = |more: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources:\n  box:\n    type: OS::Nova::Server\n    properties: {{image: \
             debian-12, flavor: m1.small, networks: [{{allocate_network: none}}]{more}}}\n"
        )
    };
    let plain = Plain::new(&template(", admin_pass: one"));
    plain.deployed();
    plain.write(&template(""));
    let ran = plain.deployed();
    assert!(ran.out.contains("-/+ box (OS::Nova::Server): is replaced"), "{ran}");
    assert!(ran.err.contains("✓ box created (OS::Nova::Server"), "{ran}");
}
