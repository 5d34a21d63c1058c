//! What lists show: whose things are, in which state, and in how few requests.

use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use wattle_converge::{Outcome, Sight, What};
use wattle_openstack::Method;
use wattle_openstack::driver::{Inventory, Mark, OpenStack, kinds};
use wattle_openstack::session::Call;

use super::cases::Base;
use super::jobs::{Desk, Jobs, value};
use super::life::all;
use super::stage::Stage;

#[test]
fn each_list_is_read_once() {
    let stage = Stage::new();
    Base::new(&stage);
    let types: Vec<&str> = kinds().map(|kind| kind.name).collect();
    stage.asked();
    let few = stage.listed(&types, &Desk::default()).expect("lists").len();
    let asked = stage.asked();
    Base::new(&Stage::new());
    for _ in 0..20 {
        stage.some("OS::Neutron::Net", &json!({}));
    }
    stage.asked();
    let many = stage.listed(&types, &Desk::default()).expect("lists").len();
    assert_eq!(many, few + 20);
    assert_eq!(stage.asked(), asked, "as many requests for more things");
    assert_eq!(asked.len(), 10, "one a collection: {asked:?}");
    assert!(asked.iter().all(|asked| asked.starts_with("GET")));
}

#[test]
fn names_that_were_foreseen_are_not_looked_up_again() {
    let stage = Stage::new();
    let mut inventory = Inventory::new(Arc::clone(&stage.session));
    for (constraint, name) in [("nova.flavor", "m1.small"), ("glance.image", "debian-12")] {
        let lack = inventory.lacks(constraint, name).now_or_never().expect("nothing to wait for");
        assert_eq!(lack.expect("a list"), None);
    }
    stage.asked();
    let properties =
        json!({ "image": "debian-12", "flavor": "m1.small", "networks": [{ "allocate_network": "none" }] });
    stage.new_one(stage.row(), "OS::Nova::Server", &properties);
    let asked = stage.asked();
    assert_eq!(asked.iter().filter(|asked| asked.starts_with("POST")).count(), 1, "{asked:?}");
    assert!(!asked.iter().any(|asked| asked.contains("/flavors") || asked.contains("/images")), "{asked:?}");
}

#[test]
fn what_has_the_mark_of_no_row_is_seen_and_can_be_deleted() {
    let stage = Stage::new();
    for case in all(&stage) {
        let row = stage.row();
        let thing = stage.made(row, case.kind, &case.properties);
        let seen = stage.list(case.kind, &Desk::default());
        let found = seen.iter().find(|seen| seen.row == row).unwrap_or_else(|| panic!("no {}", case.kind));
        assert_eq!(found.phys, thing.phys, "{}", case.kind);
        // The engine gives it a row of its own, whose mark it does not carry.
        let adopted = stage.row();
        let desk = Desk::default().knows(adopted, case.kind, &thing.phys);
        assert!(stage.sight(adopted, case.kind, &desk).is_some(), "{}", case.kind);
        let delete = stage.once(adopted, case.kind, Some(&thing.phys), What::Delete);
        assert!(matches!(delete, Outcome::Done(None) | Outcome::Accepted(_)), "{}: {delete:?}", case.kind);
        stage.pass(std::time::Duration::from_secs(5));
        assert_eq!(stage.sight(row, case.kind, &Desk::default()), None, "{}", case.kind);
    }
}

#[test]
fn another_deployment_s_things_are_not_seen() {
    let stage = Stage::new();
    for case in all(&stage) {
        stage.made(stage.row(), case.kind, &case.properties);
        let other = OpenStack::new(std::sync::Arc::clone(&stage.session), Mark::new("sho"));
        let types = [case.kind.into()].into();
        let seen = futures_util::FutureExt::now_or_never(other.list(&types, &Desk::default()));
        assert_eq!(seen.expect("nothing to wait for").expect("a list"), [], "{}", case.kind);
        for seen in stage.list(case.kind, &Desk::default()).iter().filter(|_| case.made_by != "/security-groups") {
            let is_case = case.properties["floatingip_id"].is_string() || case.properties["instance_uuid"].is_string();
            if is_case || case.kind == "OS::Nova::FloatingIPAssociation" {
                stage.carry_out(seen.row, case.kind, Some(&seen.phys), &What::Delete);
            }
        }
    }
}

#[test]
fn what_vanished_is_absent() {
    let stage = Stage::new();
    for (kind, collection, properties) in [
        ("OS::Neutron::Net", "networks", json!({ "name": "net" })),
        ("OS::Cinder::Volume", "volumes", json!({ "size": 1 })),
        (
            "OS::Nova::Server",
            "servers",
            json!({ "flavor": "1", "image": "debian-12", "networks": [{ "allocate_network": "none" }] }),
        ),
        ("OS::Nova::ServerGroup", "os-server-groups", json!({})),
    ] {
        let row = stage.row();
        let phys = stage.made(row, kind, &properties).phys;
        stage.near.world().vanish(collection, &phys);
        let desk = Desk::expects(row, &properties).knows(row, kind, &phys);
        assert_eq!(stage.sight(row, kind, &desk), None, "{kind}");
        let release = What::Release { exclusive: Default::default() };
        for what in [What::Update { properties: value(&properties) }, What::Look, What::Delete, release] {
            assert_eq!(stage.once(row, kind, Some(&phys), what), Outcome::Absent, "{kind}");
        }
    }
}

#[test]
fn what_is_taken_over_is_known_by_its_name_and_gets_the_mark() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let make =
        |service, path: &str, body: Value| stage.ask(Call::new(service, Method::Post, path).body(body)).expect("made");
    let net = make("network", "/networks", json!({ "network": { "name": "old", "description": "by hand" } }));
    let volume = make(
        "block-storage",
        "/volumes",
        json!({ "volume": { "size": 1, "name": "old", "metadata": { "by": "hand" } } }),
    );
    let path = format!("/servers/{}/os-volume_attachments", base.servers[0]);
    make("compute", &path, json!({ "volumeAttachment": { "volumeId": base.volumes[0] } }));
    stage.pass(std::time::Duration::from_secs(5));
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let attachment = json!({ "instance_uuid": base.servers[0], "volume_id": base.volumes[0] });
    for (kind, phys, properties) in [
        ("OS::Neutron::Net", text(&net["network"]["id"]), json!({ "name": "old" })),
        (
            "OS::Cinder::Volume",
            text(&volume["volume"]["id"]),
            json!({ "name": "old", "size": 1, "metadata": { "by": "hand" } }),
        ),
        // Heat names it like the volume.
        ("OS::Cinder::VolumeAttachment", base.volumes[0].clone(), attachment),
    ] {
        let row = stage.row();
        assert_eq!(stage.sight(row, kind, &Desk::default()), None, "{kind}");
        let desk = Desk::expects(row, &properties).knows(row, kind, &phys);
        assert!(matches!(stage.sight(row, kind, &desk), Some(Sight::Ready(_))), "{kind}");
        let outcome = stage.once(row, kind, Some(&phys), What::Update { properties: value(&properties) });
        assert!(matches!(outcome, Outcome::Done(_) | Outcome::Accepted(_)), "{kind}: {outcome:?}");
        assert!(matches!(stage.sight(row, kind, &desk), Some(Sight::Ready(_))), "{kind}: still called so by its row");
        assert!(matches!(stage.sight(row, kind, &Desk::default()), Some(Sight::Ready(_))), "{kind}: it has the mark");
    }
    let id = text(&net["network"]["id"]);
    let description = stage.get("network", &format!("/networks/{id}"))["network"]["description"].clone();
    assert!(text(&description).starts_with("by hand wattle:shop:1-"), "{description}");
}

#[test]
fn what_a_template_says_where_the_mark_stands_is_kept() {
    let stage = Stage::new();
    let row = stage.row();
    let group = stage.made(row, "OS::Neutron::SecurityGroup", &json!({ "description": "of the shop" })).phys;
    let read = stage.get("network", &format!("/security-groups/{group}"));
    assert_eq!(read["security_group"]["description"], format!("of the shop wattle:shop:{row}"));
    let row = stage.row();
    let server = json!({ "flavor": "1", "image": "debian-12", "networks": [{ "allocate_network": "none" }], "tags": ["front"], "user_data": "hi" });
    let thing = stage.made(row, "OS::Nova::Server", &server);
    let read = stage.get("compute", &format!("/servers/{}", thing.phys));
    assert_eq!(read["server"]["tags"], json!(["front", format!("wattle:shop:{row}")]));
    assert_eq!(thing.attributes.get("tags"), Some(&value(&json!(["front"]))));
    assert_eq!(read["server"]["name"], "shop-web", "what has no name is called as its resource");
    assert_eq!(stage.near.world().servers()[0].user_data.as_deref(), Some("aGk="));
    let row = stage.row();
    let volume = stage.made(row, "OS::Cinder::Volume", &json!({ "size": 1, "metadata": { "tier": "db" } }));
    let read = stage.get("block-storage", &format!("/volumes/{}", volume.phys));
    assert_eq!(read["volume"]["metadata"], json!({ "tier": "db", "wattle": format!("wattle:shop:{row}") }));
    assert_eq!(volume.attributes.get("metadata_values"), Some(&value(&json!({ "tier": "db" }))));
}

#[test]
fn a_server_that_was_stopped_is_seen_and_started() {
    let stage = Stage::new();
    let server = json!({ "flavor": "1", "image": "debian-12", "networks": [{ "allocate_network": "none" }] });
    let row = stage.row();
    let phys = stage.made(row, "OS::Nova::Server", &server).phys;
    let stop = Call::new("compute", Method::Post, format!("/servers/{phys}/action")).body(json!({ "os-stop": null }));
    stage.ask(stop).expect("stopped");
    stage.pass(std::time::Duration::from_secs(5));
    let desk = Desk::expects(row, &server);
    let sight = stage.sight(row, "OS::Nova::Server", &desk);
    assert!(
        matches!(&sight, Some(Sight::Changed(_, how)) if &**how == "it does not run: its state is SHUTOFF"),
        "{sight:?}"
    );
    stage.carry_out(row, "OS::Nova::Server", Some(&phys), &What::Update { properties: value(&server) });
    assert!(matches!(stage.sight(row, "OS::Nova::Server", &desk), Some(Sight::Ready(_))));
}

#[test]
fn addresses_of_a_server_are_read_as_in_heat() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let server = json!({ "flavor": "1", "image": "debian-12", "networks": [{ "port": base.ports[0] }] });
    let row = stage.row();
    stage.made(row, "OS::Nova::Server", &server);
    stage.some("OS::Neutron::FloatingIP", &json!({ "floating_network": "public", "port_id": base.ports[0] }));
    let Some(Sight::Ready(thing)) = stage.sight(row, "OS::Nova::Server", &Desk::default()) else { panic!("no server") };
    let read = |name: &str| serde_json::to_value(&thing.attributes[name]).expect("JSON");
    let address =
        stage.get("network", &format!("/ports/{}", base.ports[0]))["port"]["fixed_ips"][0]["ip_address"].clone();
    assert_eq!(read("first_address"), address);
    let networks = read("networks");
    assert_eq!(networks["base"][0], address);
    assert_eq!(networks[&base.net], networks["base"], "by its id as well");
    let addresses = read("addresses");
    assert_eq!((&addresses["base"][0]["addr"], &addresses["base"][0]["port"]), (&address, &json!(base.ports[0])));
    assert_eq!(addresses["base"][1]["OS-EXT-IPS:type"], "floating");
}

#[test]
fn what_belongs_together_stays_so_when_one_of_it_is_changed() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let (row, ty) = (stage.row(), "OS::Cinder::VolumeAttachment");
    let properties = json!({ "instance_uuid": base.servers[0], "volume_id": base.volumes[0] });
    stage.made(row, ty, &properties);
    let change = json!({ "size": 1, "metadata": { "tier": "db" } });
    stage.carry_out(
        stage.row(),
        "OS::Cinder::Volume",
        Some(&base.volumes[0]),
        &What::Update { properties: value(&change) },
    );
    assert!(matches!(stage.sight(row, ty, &Desk::expects(row, &properties)), Some(Sight::Ready(_))));
    let (row, ty) = (stage.row(), "OS::Neutron::FloatingIPAssociation");
    let properties = json!({ "floatingip_id": base.floating[0], "port_id": base.ports[0] });
    stage.made(row, ty, &properties);
    let floating = json!({ "floating_network": "public" });
    let update = What::Update { properties: value(&floating) };
    stage.carry_out(stage.row(), "OS::Neutron::FloatingIP", Some(&base.floating[0]), &update);
    assert!(matches!(stage.sight(row, ty, &Desk::expects(row, &properties)), Some(Sight::Ready(_))));
    // Both types have associations, and neither claims the other's.
    let server =
        json!({ "floating_ip": stage.some("OS::Neutron::FloatingIP", &floating), "server_id": base.servers[1] });
    let other = stage.row();
    stage.made(other, "OS::Nova::FloatingIPAssociation", &server);
    let types = [ty, "OS::Nova::FloatingIPAssociation"];
    let mut seen: Vec<_> = stage.listed(&types, &Desk::default()).expect("lists");
    seen.sort_by_key(|seen| seen.row);
    let seen: Vec<_> = seen.iter().map(|seen| (&*seen.kind, seen.row)).collect();
    assert_eq!(seen, [(types[0], row), (types[1], other)]);
}

#[test]
fn a_volume_that_somebody_gave_to_another_server_is_nobody_s() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let (row, ty) = (stage.row(), "OS::Cinder::VolumeAttachment");
    let properties = json!({ "instance_uuid": base.servers[0], "volume_id": base.volumes[0] });
    let phys = stage.made(row, ty, &properties).phys;
    let path = |server: usize| format!("/servers/{}/os-volume_attachments", base.servers[server]);
    let off = Call::new("compute", Method::Delete, format!("{}/{}", path(0), base.volumes[0]));
    stage.ask(off).expect("detached");
    stage.pass(std::time::Duration::from_secs(5));
    let on = json!({ "volumeAttachment": { "volumeId": base.volumes[0] } });
    stage.ask(Call::new("compute", Method::Post, path(1)).body(on)).expect("attached");
    stage.pass(std::time::Duration::from_secs(5));
    let desk = Desk::expects(row, &properties).knows(row, ty, &phys);
    assert_eq!(stage.list(ty, &desk), []);
    assert_eq!(stage.once(row, ty, Some(&phys), What::Delete), Outcome::Absent);
    let volume = stage.get("block-storage", &format!("/volumes/{}", base.volumes[0]));
    assert_eq!(volume["volume"]["attachments"][0]["server_id"], base.servers[1]);
}

#[test]
fn a_name_that_two_rows_know_is_that_one_s_whose_mark_is_there() {
    let stage = Stage::new();
    let ty = "OS::Nova::KeyPair";
    let row = stage.row();
    let phys = stage.made(row, ty, &json!({ "name": "ann", "public_key": super::jobs::KEY })).phys;
    assert_eq!(*phys, format!("ann wattle:shop:{row}"));
    let taken_over_once = stage.row();
    let seen = stage.list(ty, &Desk::default().knows(taken_over_once, ty, "ann"));
    assert_eq!((seen[0].row, &seen[0].phys), (row, &phys));
    let deleted = stage.once(taken_over_once, ty, Some("ann"), What::Delete);
    assert_eq!(deleted, Outcome::Absent);
}
