//! Requests that are interrupted, given up, or contradicted while a deployment is running.

use std::time::{Duration, Instant};

use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};

use super::KEY;

const PLAN: [&str; 7] = ["plan", ".", "--cloud", "simulated", "-P", PASSWORD, "--key"];

fn site() -> Site {
    Site::embedded(Setting { takes: Duration::from_secs(3), ..Setting::default() })
}

/// How many exist of three volumes that depend on each other.
fn volumes(site: &Site) -> usize {
    let list = Call::new("block-storage", Method::Get, "/volumes/detail");
    site.at_cloud(async |session| session.list(list, "volumes").await.expect("a list").len())
}

fn with_volumes(site: &Site) {
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let volume = |name: &str, before: &str| {
        format!("  {name}: {{type: OS::Cinder::Volume, properties: {{size: 1}}, depends_on: [{before}]}}\n")
    };
    let more = ["resources:\n".to_owned(), volume("v1", ""), volume("v2", "v1"), volume("v3", "v2")].concat();
    std::fs::write(&template, emitted.replacen("resources:\n", &more, 1)).expect("writes");
}

/// Another flavor, which the cloud refuses once for each of the four servers.
fn worse(site: &Site) -> [&'static str; 2] {
    site.cloud.world().befall(Rule { times: 4, ..Rule::next(Method::Post, "/action", Doing::Refused(400, None)) });
    ["-P", "flavor=m1.medium"]
}

/// Waits until a condition holds in the cloud.
fn until(site: &Site, is_so: impl Fn(&Site) -> bool) {
    let begun = Instant::now();
    while !is_so(site) {
        assert!(begun.elapsed() < Duration::from_mins(1), "it does not come about: {:?}", site.counts());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn whoever_only_looks_begins_nothing() {
    let site = site();
    with_volumes(&site);
    let mut deploying = site.start(&KEY);
    until(&site, |site| volumes(site) == 1);
    deploying.interrupt();
    for args in [&["drift", "--key"][..], &PLAN] {
        for _ in 0..3 {
            let ran = site.ask(&[args, &["operator.key"]].concat());
            assert_eq!(ran.code, Some(4), "{ran}");
            assert!(!ran.out.contains("waits for its turn"), "{ran}");
        }
    }
    assert_eq!(volumes(&site), 1);
    // A new request replaces the interrupted one.
    let destroy = ["destroy", "--yes", KEY[0], KEY[1]];
    let ran = site.ask(&destroy);
    assert!(ran.code == Some(0) && !ran.err.contains("✓ v2 created"), "{ran}");
    assert_eq!((volumes(&site), site.counts()), (0, NOTHING.to_vec()));
    // The same holds for an interrupted deletion.
    site.deployed(&KEY);
    let mut destroying = site.start_alone(&destroy);
    until(&site, |site| volumes(site) < 3);
    destroying.interrupt();
    let left = volumes(&site);
    assert_ne!(left, 0);
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert!(ran.code == Some(4) && ran.out.contains("v1 still exists, and is to be deleted"), "{ran}");
    assert_eq!(volumes(&site), left);
    // A new request for everything keeps the resources that still exist.
    let ran = site.ask(&[&PLAN[..], &["operator.key"]].concat());
    assert!(ran.code == Some(4) && !ran.out.contains("+ v1 ") && ran.out.contains("+ db "), "{ran}");
    let ran = site.ask(&destroy);
    assert!(ran.code == Some(0) && volumes(&site) == 0 && site.counts() == NOTHING, "{ran}");
}

#[test]
fn what_failed_before_is_no_drift_of_what_was_deployed_since() {
    let site = site();
    site.deployed(&KEY);
    let ran = site.deploy(&[&KEY[..], &worse(&site)].concat());
    assert!(ran.code == Some(1) && ran.err.contains("status 400"), "{ran}");
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert!(ran.code == Some(4) && ran.out.contains("status 400"), "{ran}");
    site.deployed(&KEY);
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.out.contains("as it was deployed"), "{ran}");
    let ran = site.ask(&[&PLAN[..], &["operator.key"]].concat());
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn what_goes_back_has_failed_and_takes_the_software_along() {
    let site = site();
    site.deployed(&KEY);
    let ran = site.deploy(&[&KEY[..], &worse(&site), &["--on-failure", "rollback"]].concat());
    assert!(ran.code == Some(1) && ran.err.contains("status 400"), "{ran}");
    assert!(ran.err.contains("it is as it was before: that is now deployment 3"), "{ran}");
    assert_eq!(site.counts(), SHOP);
    // Nothing is left to do, neither in the infrastructure nor in the software.
    let ran = site.ask(&[&PLAN[..], &["operator.key"]].concat());
    assert_eq!(ran.code, Some(0), "{ran}");
}

/// A resource that Heat only computes does not exist in the cloud.
#[test]
fn what_asks_for_nothing_of_the_cloud_is_deployed_all_the_same() {
    let site = site();
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let (head, _) = emitted.split_once("resources:\n").expect("it has resources");
    let alone = format!("{head}resources:\n  one: {{type: OS::Heat::Value, properties: {{value: 1}}}}\n");
    std::fs::write(&template, alone).expect("writes");
    let ran = site.deploy(&KEY);
    assert!(ran.code == Some(0) && !ran.err.contains("destroyed"), "{ran}");
}

#[test]
fn what_is_destroyed_and_wanted_at_once_is_never_forgotten() {
    let site = site();
    site.deployed(&KEY);
    let mut destroying = site.start_alone(&["destroy", "--yes", KEY[0], KEY[1]]);
    until(&site, |site| site.counts() != SHOP);
    let ran = site.deploy(&[&KEY[..], &["--credentials", "credentials.yaml"]].concat());
    let destroyed = destroying.ended();
    let said = destroying.said();
    // The last request wins; it may be either.
    if ran.code == Some(0) {
        assert!(destroyed == Some(1) && said.contains("has requested `three_tier`"), "{said}\n{ran}");
        assert_eq!(site.counts(), SHOP, "{said}\n{ran}");
    } else {
        assert_eq!((destroyed, site.counts()), (Some(0), NOTHING.to_vec()), "{said}\n{ran}");
        site.deployed(&KEY);
    }
    // One command destroys what another one is still deploying.
    let mut deploying = site.start(&[&KEY[..], &["-P", "flavor=m1.large"]].concat());
    deploying.wait_for("components unchanged", Duration::from_mins(1));
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
    assert_eq!(deploying.ended(), Some(1));
    assert!(deploying.said().contains("was destroyed in the meantime"), "{}", deploying.said());
    // Two commands destroy it at once.
    site.deployed(&KEY);
    let mut first = site.start_alone(&["destroy", "--yes", KEY[0], KEY[1]]);
    until(&site, |site| site.counts() != SHOP);
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(first.ended() == Some(0) && site.counts() == NOTHING, "{}", first.said());
    assert!(ran.code == Some(0) || ran.err.contains("holds no stack"), "{ran}");
}

#[test]
fn whoever_looks_on_sees_what_goes_on() {
    let site = site();
    let mut leading = site.start(&KEY);
    until(&site, |site| !site.there()["networks"].is_empty());
    let ran = site.deploy(&[&KEY[..], &["--credentials", "credentials.yaml"]].concat());
    assert_eq!((ran.code, leading.ended()), (Some(0), Some(0)), "{ran}");
    let looks_on = ran.err.contains("this one watches");
    assert!(looks_on && ran.err.contains("✓ web created (OS::Nova::Server"), "{ran}");
}
