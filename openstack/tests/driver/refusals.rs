//! Refused jobs, and why.

use serde_json::{Value, json};
use wattle_cloud::{Doing, Setting};
use wattle_converge::{Outcome, Sight, What};
use wattle_openstack::Method;
use wattle_openstack::driver::kind;

use super::cases::Base;
use super::jobs::{Desk, Jobs, KEY, value};
use super::stage::{Stage, refused};

fn why(stage: &Stage, kind: &str, properties: &Value) -> String {
    refused(stage.create(stage.row(), kind, properties))
}

#[test]
fn names_that_do_not_exist_are_said_with_those_that_do() {
    let stage = Stage::new();
    let server = |flavor: &str, image: &str, network: &str| json!({ "flavor": flavor, "image": image, "networks": [{ "network": network }] });
    let why = |properties: Value| why(&stage, "OS::Nova::Server", &properties);
    assert_eq!(
        why(server("m1.smal", "debian-12", "private")),
        "the cloud has no flavor `m1.smal`: did you mean `m1.small`?"
    );
    assert_eq!(
        why(server("2", "windows", "private")),
        "the cloud has no image `windows`: there are `debian-12` and `debian-13`"
    );
    assert_eq!(
        why(server("m1.small", "debian-12", "privat")),
        "the cloud has no network `privat`: did you mean `private`?"
    );
    stage.some("OS::Neutron::Net", &json!({ "name": "twin" }));
    stage.some("OS::Neutron::Net", &json!({ "name": "twin" }));
    assert_eq!(
        why(server("m1.small", "debian-12", "twin")),
        "`twin` is the name of more than one network: there are 2: write the id of the one that you mean"
    );
    assert!(stage.everything().iter().all(|seen| &*seen.kind == "OS::Neutron::Net"), "no server was made");
}

#[test]
fn a_name_is_looked_up_once_a_minute() {
    let stage = Stage::new();
    let flavors = |stage: &Stage| stage.asked().iter().filter(|asked| asked.contains("/flavors")).count();
    let server = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "allocate_network": "none" }] });
    for _ in 0..3 {
        stage.create(stage.row(), "OS::Nova::Server", &server);
    }
    assert_eq!(flavors(&stage), 1);
    stage.pass(std::time::Duration::from_mins(1));
    stage.create(stage.row(), "OS::Nova::Server", &server);
    assert_eq!(flavors(&stage), 1);
}

#[test]
fn what_is_too_much_is_said_in_the_services_words() {
    let stage = Stage::of(Setting { quota: Some(1), ..Setting::default() });
    let net = stage.some("OS::Neutron::Net", &json!({}));
    stage.some("OS::Neutron::Subnet", &json!({ "network": net, "cidr": "10.1.0.0/24" }));
    let server = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "allocate_network": "none" }] });
    for (kind, properties, words) in [
        ("OS::Neutron::Port", json!({ "network": net }), "Quota exceeded for resources: ['port']"),
        ("OS::Nova::Server", server, "Quota exceeded for instances"),
        ("OS::Cinder::Volume", json!({ "size": 1 }), "Quota exceeded for gigabytes"),
    ] {
        stage.some(kind, &properties);
        let why = why(&stage, kind, &properties);
        assert!(why.contains(words) && why.contains("`openstack quota show`"), "{kind}: {why}");
        assert!(!why.contains("role"), "{kind}: {why}");
        assert_eq!(stage.list(kind, &Desk::default()).len(), 1, "{kind}");
    }
}

#[test]
fn what_breaks_is_there_and_says_why() {
    let stage = Stage::new();
    let server = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "allocate_network": "none" }] });
    for (kind, path, properties, words) in [
        ("OS::Nova::Server", "/servers", server, "No valid host was found. There are not enough hosts available."),
        ("OS::Cinder::Volume", "/volumes", json!({ "size": 1 }), "Cinder says that it is in the state error"),
        ("OS::Neutron::Net", "/networks", json!({}), "Neutron says that it is in the state ERROR"),
    ] {
        let row = stage.row();
        stage.befall(Method::Post, path, 1, Doing::Broken);
        let create = What::Create { properties: value(&properties) };
        assert_eq!(stage.carry_out(row, kind, None, &create), Outcome::Broken(words.into()));
        let sight = stage.sight(row, kind, &Desk::default());
        assert!(matches!(&sight, Some(Sight::Broken(_, why)) if &**why == words), "{sight:?}");
        assert_eq!(stage.carry_out(row, kind, None, &What::Delete), Outcome::Done(None), "by its mark");
        assert_eq!(stage.sight(row, kind, &Desk::default()), None);
    }
}

#[test]
fn what_nova_accepts_and_fails_to_do_each_time_is_given_up() {
    let stage = Stage::new();
    let base = Base::new(&stage);
    let server = |flavor: &str, ports: &[&String]| {
        let networks: Vec<Value> = ports.iter().map(|port| json!({ "port": port })).collect();
        json!({ "flavor": flavor, "image": "debian-12", "networks": networks })
    };
    let both = [&base.ports[0], &base.ports[1]];
    let (row, kind) = (stage.row(), "OS::Nova::Server");
    let phys = stage.made(row, kind, &server("m1.small", &both)).phys;
    let update = |properties: &Value| {
        let what = What::Update { properties: value(properties) };
        stage.carry_out(row, kind, Some(&phys), &what)
    };
    for (action, method, path, wanted) in [
        ("resize", Method::Post, "/action", server("m1.medium", &both)),
        ("detach_interface", Method::Delete, "/os-interface", server("m1.medium", &both[..1])),
    ] {
        stage.befall(method, path, 3, Doing::Failed);
        let why = refused(update(&wanted));
        assert!(why.contains(&format!("Nova has accepted `{action}` 3 times, and failed")), "{why}");
        assert!(why.contains(&format!("`openstack server event show {phys} req-")), "{why}");
        // The next deployment tries again. After two failures, the third attempt succeeds.
        stage.befall(method, path, 2, Doing::Failed);
        assert!(matches!(update(&wanted), Outcome::Done(_)), "{action}");
    }
}

#[test]
fn a_thing_that_is_there_is_broken_by_what_is_refused_afterwards() {
    let stage = Stage::new();
    let row = stage.row();
    let kind = "OS::Neutron::SecurityGroup";
    stage.befall(Method::Post, "/security-group-rules", 1, Doing::Refused(400, None));
    let outcome = stage.create(row, kind, &json!({ "rules": [{ "protocol": "tcp" }] }));
    assert!(matches!(&outcome, Outcome::Broken(why) if why.contains("status 400")), "{outcome:?}");
    assert_eq!(stage.carry_out(row, kind, None, &What::Delete), Outcome::Done(None));
}

#[test]
fn what_is_only_for_heat_is_refused_by_name() {
    let stage = Stage::new();
    for (kind, properties, words) in [
        (
            "OS::Nova::Server",
            json!({ "flavor": "1", "personality": { "/etc/motd": "hi" } }),
            "`personality` of OS::Nova::Server",
        ),
        ("OS::Neutron::Net", json!({ "dhcp_agent_ids": ["7"] }), "`dhcp_agent_ids` of OS::Neutron::Net"),
        ("OS::Cinder::Volume", json!({ "size": 1, "read_only": true }), "`read_only` of OS::Cinder::Volume"),
        ("OS::Nova::KeyPair", json!({ "name": "k", "save_private_key": true }), "`save_private_key`"),
        ("OS::Nova::KeyPair", json!({ "name": "k" }), "without `public_key`"),
        ("OS::Nova::KeyPair", json!({ "name": "k", "public_key": "x", "type": "x509" }), "`type: x509` of a key pair"),
        (
            "OS::Nova::Server",
            json!({ "flavor": "1", "networks": [{ "network": "private", "floating_ip": "7" }] }),
            "`floating_ip` in `networks`",
        ),
        ("OS::Heat::Stack", json!({}), "the type `OS::Heat::Stack` is not supported"),
        ("OS::Neutron::Nett", json!({}), "did you mean `OS::Neutron::Net`?"),
    ] {
        let why = why(&stage, kind, &properties);
        assert!(why.contains(words), "{kind}: {why}");
    }
    assert_eq!(stage.everything(), []);
    // Empty values have no effect.
    stage.some("OS::Cinder::Volume", &json!({ "size": 1, "read_only": false }));
}

#[test]
fn what_is_only_for_heat_is_known_before_anything_is_made() {
    let beyond = |ty: &str, properties: Value| -> Vec<String> {
        let found = kind(ty).expect("a type").beyond(&value(&properties));
        found.into_iter().map(|(what, _)| what).collect()
    };
    let server = json!({
        "flavor": "1", "personality": { "/etc/motd": "hi" }, "deployment_swift_data": { "container": "c" },
        "networks": [{ "port": { "get_resource": "port" } }, { "network": "n", "port_extra_properties": { "value_specs": {} } }],
    });
    assert_eq!(
        beyond("OS::Nova::Server", server),
        [
            "`personality` of OS::Nova::Server is only for Heat",
            "`deployment_swift_data` of OS::Nova::Server is only for Heat",
            "`port_extra_properties` in `networks` of a server is only for Heat",
        ]
    );
    // A value that is not known yet may be anything but null.
    let later = json!({ "get_attr": ["other", "public_key"] });
    assert_eq!(beyond("OS::Nova::KeyPair", json!({ "name": "k", "public_key": later })), Vec::<String>::new());
    assert_eq!(beyond("OS::Nova::KeyPair", json!({ "name": "k", "public_key": "" })).len(), 1);
    assert_eq!(beyond("OS::Neutron::Net", json!({ "dhcp_agent_ids": later })).len(), 1);
    assert_eq!(beyond("OS::Neutron::Net", json!({ "dhcp_agent_ids": [], "name": later })), Vec::<String>::new());
}

#[test]
fn what_is_somebody_elses_is_refused() {
    let stage = Stage::new();
    let key = json!({ "keypair": { "name": "ann", "public_key": KEY, "type": "ssh" } });
    stage.ask(wattle_openstack::session::Call::new("compute", Method::Post, "/os-keypairs").body(key)).expect("a key");
    let why = why(&stage, "OS::Nova::KeyPair", &json!({ "name": "ann", "public_key": KEY }));
    assert!(why.starts_with("a key pair `ann` already exists and does not belong to this deployment"), "{why}");
    assert_eq!(stage.get("compute", "/os-keypairs/ann")["keypair"]["public_key"], KEY);
    // One that the deployment itself is about to delete is waited for.
    let ours = json!({ "name": "bob", "public_key": KEY });
    stage.some("OS::Nova::KeyPair", &ours);
    let outcome = stage.create(stage.row(), "OS::Nova::KeyPair", &ours);
    assert!(matches!(outcome, Outcome::Later(_)), "{outcome:?}");
}

#[test]
fn what_cannot_be_changed_in_place_is_refused() {
    let stage = Stage::new();
    let net = stage.some("OS::Neutron::Net", &json!({}));
    let subnet = json!({ "network": net, "cidr": "10.1.0.0/24" });
    let volume = json!({ "size": 5 });
    let server = json!({ "flavor": "m1.small", "image": "debian-12", "networks": [{ "allocate_network": "none" }] });
    for (kind, properties, other, words) in [
        ("OS::Neutron::Subnet", &subnet, json!({ "network": net, "cidr": "10.9.0.0/24" }), "`cidr` is \"10.1.0.0/24\""),
        (
            "OS::Cinder::Volume",
            &volume,
            json!({ "size": 4 }),
            "a volume can only grow: `size` is 5 GiB, but should be 4",
        ),
        (
            "OS::Nova::Server",
            &server,
            json!({ "flavor": "m1.large", "flavor_update_policy": "REPLACE" }),
            "`flavor_update_policy` is REPLACE",
        ),
        (
            "OS::Nova::Server",
            &server,
            json!({ "image": "debian-13", "image_update_policy": "REPLACE" }),
            "`image_update_policy` is REPLACE",
        ),
    ] {
        let row = stage.row();
        let phys = stage.made(row, kind, properties).phys;
        let why = refused(stage.once(row, kind, Some(&phys), What::Update { properties: value(&other) }));
        assert!(why.contains(words), "{kind}: {why}");
    }
}

#[test]
fn a_type_says_what_the_engine_has_to_know() {
    let held = |ty: &str, properties: Value| -> Vec<String> {
        let kind = kind(ty).unwrap_or_else(|| panic!("{ty} is known"));
        kind.exclusive(&value(&properties)).iter().map(ToString::to_string).collect()
    };
    let port = json!({ "network": "n", "fixed_ips": [{ "subnet": "s", "ip_address": "10.0.0.5" }, { "subnet": "s" }], "mac_address": "FA:16:3E:00:00:01" });
    assert_eq!(
        held("OS::Neutron::Port", port),
        ["the address 10.0.0.5 on n", "the hardware address fa:16:3e:00:00:01 on n"]
    );
    let server = json!({ "networks": [{ "port": "p" }, { "network": "n", "fixed_ip": "10.0.0.5" }, { "network": "n" }], "block_device_mapping_v2": [{ "volume_id": "v" }, { "image": "i" }] });
    assert_eq!(held("OS::Nova::Server", server), ["the address 10.0.0.5 on n", "the port p", "the volume v"]);
    assert_eq!(
        held("OS::Cinder::VolumeAttachment", json!({ "instance_uuid": "s", "volume_id": "v" })),
        ["the volume v"]
    );
    assert_eq!(
        held("OS::Neutron::RouterInterface", json!({ "router": "r", "subnet": "s" })),
        ["the gateway of the subnet s"]
    );
    assert_eq!(held("OS::Neutron::RouterInterface", json!({ "router": "r", "port": "p" })), ["the port p"]);
    assert_eq!(
        held("OS::Neutron::FloatingIP", json!({ "floating_network": "n", "port_id": "p" })),
        ["the floating IP of the port p"]
    );
    assert_eq!(
        held("OS::Neutron::FloatingIPAssociation", json!({ "floatingip_id": "f", "port_id": "p" })),
        ["the floating IP of the port p", "the port of the floating IP f"]
    );
    assert_eq!(held("OS::Nova::KeyPair", json!({ "name": "ann" })), ["the key pair's name ann"]);
    assert_eq!(
        held("OS::Neutron::Subnet", json!({ "network": "n", "cidr": "10.0.0.0/24" })),
        ["the range 10.0.0.0/24 on n"]
    );
    assert_eq!(held("OS::Neutron::Network", json!({})), Vec::<String>::new());
    assert!(kind("OS::Nova::Server").is_some_and(|kind| kind.drains() && kind.service == "compute"));
    assert!(
        kind("OS::Neutron::Port").is_some_and(|kind| !kind.drains() && kind.takes("fixed_ips") && !kind.takes("rules"))
    );
    assert!(kind("OS::Heat::Stack").is_none());
}
