//! The networks and disks of new servers.

use serde_json::{Value, json};
use wattle_converge::Sight;

use super::cases::Base;
use super::jobs::{Desk, Jobs};
use super::stage::{Stage, refused};

const TYPE: &str = "OS::Nova::Server";

/// A server with `more`, and its ports.
fn booted(stage: &Stage, more: &Value) -> (Value, Vec<Value>) {
    let mut properties = json!({ "flavor": "m1.small" });
    for (key, value) in more.as_object().into_iter().flatten() {
        properties[key] = value.clone();
    }
    let row = stage.row();
    let phys = stage.made(row, TYPE, &properties).phys;
    let sight = stage.sight(row, TYPE, &Desk::expects(row, &properties));
    assert!(matches!(sight, Some(Sight::Ready(_))), "{sight:?}");
    let ports = stage.get("network", &format!("/ports?device_id={phys}"))["ports"].as_array().expect("a list").clone();
    (stage.get("compute", &format!("/servers/{phys}"))["server"].clone(), ports)
}

#[test]
fn a_server_is_where_its_template_says() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let on = |networks: Value| booted(&stage, &json!({ "image": "debian-12", "networks": networks })).1;
    assert_eq!(on(json!([{ "allocate_network": "none" }])), Vec::<Value>::new());
    let ports = on(json!([{ "subnet": base.subnet }]));
    assert_eq!((ports.len(), &ports[0]["network_id"]), (1, &json!(base.net)));
    let ports = on(json!([{ "network": "base", "fixed_ip": "10.1.0.60" }, { "port": base.ports[0] }]));
    assert_eq!(ports.len(), 2);
    assert!(ports.iter().any(|port| port["fixed_ips"][0]["ip_address"] == "10.1.0.60"), "{ports:?}");
    assert!(ports.iter().any(|port| port["id"] == *base.ports[0]), "{ports:?}");
    // Of several subnets, Nova would choose another one.
    stage.some("OS::Neutron::Subnet", &json!({ "network": base.net, "cidr": "10.4.0.0/24" }));
    let refusal = |nic: Value| {
        let properties = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [nic] });
        refused(stage.create(stage.row(), TYPE, &properties))
    };
    let why = refusal(json!({ "subnet": base.subnet }));
    assert!(why.contains("has more subnets, and Nova takes no subnet: give the server a `port`"), "{why}");
    let why = refusal(json!({ "network": "base", "floating_ip": base.floating[0] }));
    assert!(why.starts_with("`floating_ip` in `networks` of a server is only for Heat"), "{why}");
    let why = refusal(json!({ "tag": "front" }));
    assert!(why.contains("has neither `network` nor `port`"), "{why}");
}

#[test]
fn a_server_has_the_disks_that_its_template_says() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let none = json!([{ "allocate_network": "none" }]);
    let volumes = |server: &Value| server["os-extended-volumes:volumes_attached"].as_array().expect("a list").len();
    let from_volume = json!({ "networks": none, "block_device_mapping_v2": [{ "volume_id": base.volumes[0] }] });
    let (server, _) = booted(&stage, &from_volume);
    assert_eq!((&server["image"], volumes(&server)), (&json!(""), 1), "it boots from the volume");
    let older =
        json!({ "networks": none, "block_device_mapping": [{ "device_name": "vda", "volume_id": base.volumes[1] }] });
    let (server, _) = booted(&stage, &older);
    assert_eq!((&server["image"], volumes(&server)), (&json!(""), 1));
    let new = json!([{ "image": "debian-12", "volume_size": 10, "delete_on_termination": true }, { "swap_size": 512 }]);
    let (server, _) = booted(&stage, &json!({ "networks": none, "block_device_mapping_v2": new }));
    assert_eq!(volumes(&server), 1, "swap is no volume");
    let both = json!({ "networks": none, "image": "debian-12", "block_device_mapping_v2": [{ "ephemeral_size": 5 }] });
    let (server, _) = booted(&stage, &both);
    assert_eq!(volumes(&server), 0);
    assert!(server["image"]["id"].is_string());
}
