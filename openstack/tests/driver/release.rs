//! What others need is released from a thing, and restored by an update.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wattle_cloud::Setting;
use wattle_converge::{Outcome, Sight, What};
use wattle_model::Name;
use wattle_openstack::driver::kind;

use super::cases::Base;
use super::jobs::{Desk, Jobs, KEY, value};
use super::stage::{Stage, refused};

/// What a thing with these properties holds exclusively.
fn held(ty: &str, properties: &Value) -> BTreeSet<Name> {
    kind(ty).expect("a kind").exclusive(&value(properties))
}

#[test]
fn what_is_released_can_be_given_to_another_and_comes_back() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let boot = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "port": base.ports[0] }], "block_device_mapping_v2": [{ "volume_id": base.volumes[1], "boot_index": -1 }] });
    for (ty, properties) in [
        (
            "OS::Neutron::Port",
            json!({ "network": base.net, "fixed_ips": [{ "subnet": base.subnet, "ip_address": "10.1.0.77" }] }),
        ),
        ("OS::Nova::Server", boot),
        ("OS::Neutron::FloatingIP", json!({ "floating_network": "public", "port_id": base.ports[1] })),
        ("OS::Neutron::FloatingIPAssociation", json!({ "floatingip_id": base.floating[0], "port_id": base.ports[1] })),
        ("OS::Cinder::VolumeAttachment", json!({ "instance_uuid": base.servers[0], "volume_id": base.volumes[0] })),
        ("OS::Nova::KeyPair", json!({ "name": "ann", "public_key": KEY })),
    ] {
        let (first, second) = (stage.row(), stage.row());
        let phys = stage.made(first, ty, &properties).phys;
        let release = What::Release { exclusive: held(ty, &properties) };
        for _ in 0..2 {
            let outcome = stage.carry_out(first, ty, Some(&phys), &release);
            assert!(matches!(outcome, Outcome::Done(_) | Outcome::Absent), "{ty}: {outcome:?}");
        }
        let other = stage.made(second, ty, &properties).phys;
        assert_ne!(phys, other, "{ty}");
        // The first one is deleted, and takes nothing from the second.
        stage.carry_out(first, ty, Some(&phys), &What::Delete);
        let desk = Desk::expects(second, &properties).knows(second, ty, &other).knows(first, ty, &phys);
        let sight = stage.sight(second, ty, &desk);
        assert!(matches!(sight, Some(Sight::Ready(_))), "{ty}: {sight:?}");
        assert_eq!(stage.sight(first, ty, &desk), None, "{ty}");
        // What was released is restored.
        stage.carry_out(second, ty, Some(&other), &release);
        let update = What::Update { properties: value(&properties) };
        let Outcome::Done(Some(thing)) = stage.carry_out(second, ty, Some(&other), &update) else {
            panic!("{ty} does not come back")
        };
        let desk = Desk::expects(second, &properties).knows(second, ty, &thing.phys);
        if ty != "OS::Nova::Server" {
            assert!(matches!(stage.sight(second, ty, &desk), Some(Sight::Ready(_))), "{ty}");
        }
        assert_eq!(stage.carry_out(second, ty, Some(&thing.phys), &What::Delete), Outcome::Done(None), "{ty}");
    }
}

#[test]
fn an_interface_is_released_as_a_whole() {
    let stage = Stage::new();
    let ty = "OS::Neutron::RouterInterface";
    let net = stage.some("OS::Neutron::Net", &json!({}));
    let subnet = stage.some("OS::Neutron::Subnet", &json!({ "network": net, "cidr": "10.3.0.0/24" }));
    let router = || stage.some("OS::Neutron::Router", &json!({}));
    let (one, other) =
        (json!({ "router": router(), "subnet": subnet }), json!({ "router": router(), "subnet": subnet }));
    let (first, second) = (stage.row(), stage.row());
    let phys = stage.made(first, ty, &one).phys;
    assert!(matches!(stage.create(second, ty, &other), Outcome::Later(_)), "the gateway's address is taken");
    let released = stage.carry_out(first, ty, Some(&phys), &What::Release { exclusive: held(ty, &one) });
    assert_eq!(released, Outcome::Done(None));
    stage.made(second, ty, &other);
    assert_eq!(stage.once(first, ty, Some(&phys), What::Delete), Outcome::Absent);
}

#[test]
fn an_interface_by_a_port_goes_with_it() {
    let stage = Stage::new();
    let ty = "OS::Neutron::RouterInterface";
    let net = stage.some("OS::Neutron::Net", &json!({}));
    stage.some("OS::Neutron::Subnet", &json!({ "network": net, "cidr": "10.3.0.0/24" }));
    let port = stage.some("OS::Neutron::Port", &json!({ "network": net }));
    let properties = json!({ "router": stage.some("OS::Neutron::Router", &json!({})), "port": port });
    let row = stage.row();
    let phys = stage.made(row, ty, &properties).phys;
    let desk = Desk::expects(row, &properties).knows(row, ty, &phys);
    assert!(matches!(stage.sight(row, ty, &desk), Some(Sight::Ready(_))));
    assert_eq!(stage.carry_out(row, ty, Some(&phys), &What::Delete), Outcome::Done(None));
    assert_eq!(stage.sight(row, ty, &desk), None);
}

#[test]
fn what_cannot_be_released_is_refused() {
    let stage = Stage::new();
    let net = stage.some("OS::Neutron::Net", &json!({}));
    let properties = json!({ "network": net, "cidr": "10.1.0.0/24" });
    let row = stage.row();
    let phys = stage.made(row, "OS::Neutron::Subnet", &properties).phys;
    let release = What::Release { exclusive: held("OS::Neutron::Subnet", &properties) };
    let why = refused(stage.once(row, "OS::Neutron::Subnet", Some(&phys), release));
    assert!(why.starts_with("`the range 10.1.0.0/24 on "), "{why}");
}

#[test]
fn a_server_that_could_be_restored_is_not() {
    let stage = Stage::of(Setting { restores: true, ..Setting::default() });
    let base = Base::new(&stage);
    let server = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "port": base.ports[0] }] });
    let row = stage.row();
    let phys = stage.made(row, "OS::Nova::Server", &server).phys;
    assert_eq!(stage.carry_out(row, "OS::Nova::Server", Some(&phys), &What::Delete), Outcome::Done(None));
    stage.pass(std::time::Duration::from_secs(5));
    let port = stage.get("network", &format!("/ports/{}", base.ports[0]));
    assert_eq!(port["port"]["device_id"], "", "its port is free");
}

#[test]
fn a_volume_comes_and_goes_in_its_time() {
    let stage = Stage::of(Setting { attaches: std::time::Duration::from_secs(7), ..Setting::default() });
    let base = Base::new(&stage);
    let ty = "OS::Cinder::VolumeAttachment";
    let of = |server: usize| json!({ "instance_uuid": base.servers[server], "volume_id": base.volumes[0] });
    let row = stage.row();
    let Outcome::Accepted(Some(phys)) = stage.create(row, ty, &of(0)) else { panic!("it is not accepted") };
    assert_eq!(
        stage.sight(row, ty, &Desk::default()),
        Some(Sight::Busy(phys.clone())),
        "it is there, and not yet in use"
    );
    let again = stage.create(row, ty, &of(0));
    assert_eq!(again, Outcome::Accepted(Some(phys.clone())), "it is being attached already");
    let thing = stage.made(row, ty, &of(0));
    assert_eq!(thing.phys, phys);
    // Detach and attach again: one job, until the volume is at the other server.
    let update = What::Update { properties: value(&of(1)) };
    let Outcome::Done(Some(moved)) = stage.carry_out(row, ty, Some(&phys), &update) else { panic!("it does not move") };
    assert_eq!(moved.phys, phys, "wherever it is, it is called the same");
    let volume = stage.get("block-storage", &format!("/volumes/{}", base.volumes[0]));
    assert_eq!(volume["volume"]["attachments"][0]["server_id"], base.servers[1]);
    let release = What::Release { exclusive: held(ty, &of(1)) };
    assert!(matches!(stage.once(row, ty, Some(&moved.phys), release.clone()), Outcome::Later(_)), "it takes its time");
    assert!(matches!(stage.carry_out(row, ty, Some(&moved.phys), &release), Outcome::Done(None) | Outcome::Absent));
    stage.made(stage.row(), ty, &of(0));
}
