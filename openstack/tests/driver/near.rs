//! Each type in a simulated cloud.

use serde_json::json;
use wattle_openstack::driver::kinds;

use super::jobs::{Desk, Jobs as _};
use super::life::{all, comes_and_goes, differs_and_is_put_right, is_seen_behind_its_back};
use super::stage::Stage;

#[test]
fn each_type_has_a_case() {
    let stage = Stage::new();
    let mut with: Vec<&str> = all(&stage).iter().map(|case| case.kind).collect();
    let mut known: Vec<&str> = kinds().map(|kind| kind.name).collect();
    with.sort_unstable();
    with.dedup();
    known.sort_unstable();
    assert_eq!(with, known);
}

#[test]
fn a_thing_comes_is_read_and_goes() {
    comes_and_goes(&Stage::new());
}

#[test]
fn what_differs_is_seen_and_put_right() {
    differs_and_is_put_right(&Stage::new());
}

#[test]
fn what_is_changed_behind_its_back_is_seen_and_put_right() {
    is_seen_behind_its_back(&Stage::new());
}

#[test]
fn what_is_new_is_not_looked_for() {
    let stage = Stage::new();
    let net = stage.some("OS::Neutron::Net", &json!({}));
    for (kind, properties) in [
        ("OS::Neutron::Net", json!({})),
        ("OS::Neutron::Port", json!({ "network": net })),
        (
            "OS::Nova::Server",
            json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "allocate_network": "none" }] }),
        ),
        ("OS::Cinder::Volume", json!({ "size": 1 })),
    ] {
        // Names of images and flavors are looked up once a minute.
        stage.create(stage.row(), kind, &properties);
        stage.asked();
        let looks = |made: &dyn Fn()| {
            made();
            stage.asked().iter().filter(|asked| asked.starts_with("GET")).count()
        };
        let row = stage.row();
        assert_eq!(looks(&|| drop(stage.new_one(row, kind, &properties))), 0, "{kind}");
        // On the next try, it may exist.
        assert_ne!(looks(&|| drop(stage.create(row, kind, &properties))), 0, "{kind}");
        assert!(stage.sight(row, kind, &Desk::default()).is_some(), "{kind}");
    }
}
