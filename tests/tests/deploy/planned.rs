//! `wattle plan --cloud` compares with what is really there, and `deploy` does what it says.

use serde_json::{Value, json};
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::running::Ran;
use wattle_tests::site::{PASSWORD, SHOP, Site};

use crate::KEY;

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
    assert!(ran.code == Some(0) && ran.err.contains("nothing of `three_tier` is deployed in the cloud"), "{ran}");
    site.deployed(&[&KEY[..], &["--credentials", "credentials.yaml"]].concat());
    let ran = plan(&site, &[]);
    assert!(ran.code == Some(0) && ran.err.contains("in the cloud `simulated` as it was deployed"), "{ran}");
    // Somebody deletes a server and takes the groups away from a port.
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
    // It has said so and done nothing; `deploy` does it.
    assert_eq!(site.there()["servers"].len(), 3);
    let said = site.deployed(&KEY);
    assert!(said.contains("✓ app1 created") && said.contains("✓ web-port changed"), "{said}");
    assert_eq!((plan(&site, &[]).code, site.counts()), (Some(0), SHOP.to_vec()));
}
