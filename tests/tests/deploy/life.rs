//! A stack from its first deployment to its end, in any cloud.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::running::eventually;
use wattle_tests::site::{Ground, NOTHING, SHOP, Site};

use super::KEY;

/// Deploys a shop, changes it, rolls it back, repairs it, and destroys it.
pub(crate) fn life(site: &Site<impl Ground>) {
    let said = site.deployed(&[]);
    assert!(said.contains("✓ web created (OS::Nova::Server"), "{said}");
    assert_eq!(site.counts(), SHOP);
    // A server's console can be read although no agent reports for it.
    let ran = site.ask(&["logs", "db", "--console", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.out.lines().count() > 0, "{ran}");
    let ran = site.ask(&["logs", "dbs", "--console", KEY[0], KEY[1]]);
    assert!(ran.code == Some(1) && ran.err.contains("did you mean `db`?"), "{ran}");
    // Deployed again, nothing changes, neither in the cloud nor in the software.
    let ids = ids(site);
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓') && said.contains("5 components unchanged"), "{said}");
    // A change in place.
    let said = site.deployed(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());
    assert!(said.contains("✓ db changed (OS::Nova::Server") && !said.contains("created"), "{said}");
    assert_eq!(ids, self::ids(site));
    // The change is rolled back.
    let ran = site.ask(&["rollback", "--yes", "--infrastructure-only", KEY[0], KEY[1]]);
    assert!(ran.err.contains("✓ db changed"), "{ran}");
    assert_eq!(ids, self::ids(site));
    // Someone deletes a server and disables the network, about which the template says nothing.
    site.delete("app1");
    let network = site.there()["networks"][0]["id"].as_str().expect("text").to_owned();
    site.at_cloud(async |session| {
        let call = Call::new("network", Method::Put, format!("/networks/{network}"));
        session.call(call.body(json!({"network": {"admin_state_up": false}}))).await.expect("changed");
    });
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(4), "{ran}");
    assert!(ran.out.contains("app1 is gone"), "{ran}");
    assert!(ran.out.contains("`admin_state_up` is false, but should be true"), "{ran}");
    let ran = site.ask(&["drift", "--correct", "--infrastructure-only", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.err.contains("✓ app1 created"), "{ran}");
    assert_eq!(site.there()["networks"][0]["admin_state_up"], true);
    assert_eq!(site.counts(), SHOP);
    assert_eq!(site.ask(&["drift", KEY[0], KEY[1]]).code, Some(0));
    meddled(site);
    replaced(site);
    // Someone is deleting a server; the deployment waits until it is gone.
    let server = site.there()["servers"][0]["id"].as_str().expect("text").to_owned();
    site.at_cloud(async |session| {
        session.call(Call::new("compute", Method::Delete, format!("/servers/{server}"))).await.expect("accepted");
    });
    let said = site.deployed(&KEY);
    assert!(said.contains(" created (OS::Nova::Server"), "{said}");
    assert_eq!(site.counts(), SHOP);
    // After `destroy`, nothing is left.
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    assert!(site.ask(&["status", KEY[0], KEY[1]]).err.contains("holds no stack"));
    // A new deployment is like the first one.
    site.deployed(&KEY);
    assert_eq!(site.counts(), SHOP);
}

/// Someone stops a server, and opens a security group to everyone.
fn meddled(site: &Site<impl Ground>) {
    let web = site.server("web");
    let group = site.there()["security_groups"][0]["id"].clone();
    site.at_cloud(async |session| {
        let stop = Call::new("compute", Method::Post, format!("/servers/{web}/action"));
        session.call(stop.body(json!({ "os-stop": null }))).await.expect("accepted");
        let rule = json!({ "security_group_id": group, "direction": "ingress", "ethertype": "IPv4" });
        let call = Call::new("network", Method::Post, "/security-group-rules");
        session.call(call.body(json!({ "security_group_rule": rule }))).await.expect("made");
    });
    let web = || site.there()["servers"].iter().find(|server| server["id"] == *web).expect("it is there").clone();
    eventually("it has stopped", || web()["status"] == "SHUTOFF");
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(4), "{ran}");
    assert!(ran.out.contains("it does not run: its state is SHUTOFF") && ran.out.contains("`rules`"), "{ran}");
    let ran = site.ask(&["drift", "--correct", "--infrastructure-only", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.err.contains("✓ web changed"), "{ran}");
    assert_eq!(web()["status"], "ACTIVE");
    assert_eq!(site.ask(&["drift", KEY[0], KEY[1]]).code, Some(0));
    assert_eq!(site.counts(), SHOP);
}

/// The replacement of a server gets the port of its predecessor.
fn replaced(site: &Site<impl Ground>) {
    let (before, ports) = (site.server("web"), ports(site));
    let path = site.path().join("template.yaml");
    let template = fs::read_to_string(&path).expect("reads");
    let (head, tail) = template.split_at(template.find("\n  web:").expect("it is there"));
    let zoned = tail.replacen("    properties:\n", "    properties:\n      availability_zone: nova\n", 1);
    fs::write(&path, head.to_owned() + &zoned).expect("writes");
    let said = site.deployed(&KEY);
    assert!(said.contains("✓ web created (OS::Nova::Server"), "{said}");
    assert_ne!(site.server("web"), before);
    assert_eq!(self::ports(site), ports);
    assert_eq!(site.counts(), SHOP);
}

/// The IDs of the ports.
fn ports(site: &Site<impl Ground>) -> BTreeSet<String> {
    site.there()["ports"].iter().map(|port| port["id"].to_string()).collect()
}

/// The IDs of the servers.
fn ids(site: &Site<impl Ground>) -> Vec<String> {
    let there = site.there();
    let mut ids: Vec<String> = there["servers"].iter().map(|server| server["id"].to_string()).collect();
    ids.sort();
    ids
}
