//! Missing or insufficient resources of the cloud are reported before anything is created.

use std::time::Duration;

use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::site::{NOTHING, Site};

use super::wrong::refused;

const KEY: [&str; 2] = ["--key", "operator.key"];

/// The shop's template with more resources.
fn with(site: &Site, more: &str) {
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let more = format!("resources:\n{more}");
    std::fs::write(&template, emitted.replacen("resources:\n", &more, 1)).expect("writes");
}

#[test]
fn names_of_what_the_cloud_has_not_are_all_said_with_their_places() {
    let site = Site::new();
    let emitted = std::fs::read_to_string(site.path().join("template.yaml")).expect("reads");
    with(
        &site,
        "  a: {type: OS::Nova::Server, properties: {flavor: m1.smal, image: debian-11, key_name: ann, networks: [{network: privat}]}}\n  \
         b: {type: OS::Nova::Server, properties: {flavor: m1.small, image: 0d1f8a3e-5d56-4a41-8a7b-2f9f0e7f1b11, networks: [{network: lan}]}}\n  \
         many: {type: OS::Heat::ResourceGroup, properties: {count: 3, resource_def: {type: OS::Neutron::Port, properties: {network: nowhere}}}}\n  \
         disk: {type: OS::Cinder::Volume, properties: {size: 1, image: ubuntu}}\n  \
         lan: {type: OS::Neutron::Net, properties: {name: lan}}\n",
    );
    refused(&site, "names-beyond", &[]);
    assert_eq!(site.counts(), NOTHING);
    std::fs::write(site.path().join("template.yaml"), emitted).expect("writes");
    site.deployed(&[]);
}

#[test]
fn a_service_that_is_busy_before_anything_is_made_is_named() {
    let site = Site::embedded(Setting::default());
    let busy = |path: &str| {
        let rule = Rule::next(Method::Get, path, Doing::Refused(503, Some(1)));
        site.cloud.world().befall(Rule { times: 6, ..rule });
    };
    let says = |said: &str, service: &str| {
        let line = format!("waiting for {service} of the cloud `simulated`, which is busy: it answers 503\n");
        assert_eq!(said.matches(&line).count(), 1, "{said}");
    };
    // The services are busy when `deploy` looks up names and quotas.
    busy("/flavors");
    busy("/quotas");
    let said = site.deployed(&KEY);
    says(&said, "compute");
    says(&said, "network");
    busy("/ports");
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    says(&ran.err, "network");
}

#[test]
fn what_runs_already_is_not_asked_for() {
    let site = Site::embedded(Setting::default());
    site.deployed(&KEY);
    // Images vanish when newer ones replace them, and the servers made from them continue.
    let images = site.at_cloud(async |session| {
        let images = session.list(Call::new("image", Method::Get, "/images"), "images").await.expect("images");
        images.iter().map(|image| image["id"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    });
    for id in &images {
        site.cloud.world().vanish("images", id);
    }
    let ran = site.deploy(&KEY);
    assert!(ran.code == Some(0) && !ran.out.contains("to create"), "{ran}");
    with(&site, "  another: {type: OS::Nova::Server, properties: {flavor: m1.small, image: debian-12}}\n");
    let ran = site.deploy(&KEY);
    assert!(ran.code == Some(2) && ran.err.contains("one thing is wrong in `template.yaml` for the cloud"), "{ran}");
}

#[test]
fn a_quota_that_is_too_small_is_said_before_anything_is_made() {
    let site = Site::with(Setting { quota: Some(3), ..Setting::default() });
    refused(&site, "quota", &[]);
    assert_eq!(site.counts(), NOTHING);
}

#[test]
fn a_quota_that_nobody_says_is_named_when_it_is_reached_and_nothing_is_forgotten() {
    let site = Site::with(Setting { quota: Some(3), takes: Duration::from_millis(200), ..Setting::default() });
    for path in ["/limits", "/quotas"] {
        let mut world = site.cloud.world();
        world.befall(Rule { times: u32::MAX, ..Rule::next(Method::Get, path, Doing::Refused(403, None)) });
    }
    let ran = site.deploy(&[]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("`openstack quota show`"), "{ran}");
    assert!(ran.err.contains("Quota exceeded") && ran.err.contains("is not as it should be"), "{ran}");
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
}
