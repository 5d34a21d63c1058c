//! Every property that a template may drop has a case; servers have rules of their own.

use serde_json::json;
use wattle_converge::{Outcome, Sight, What};
use wattle_heat::schema::schema;
use wattle_openstack::Method;
use wattle_openstack::driver::kinds;
use wattle_openstack::session::Call;

use super::jobs::{Desk, Jobs, value};
use super::leaves::leaves_and_goes_back;
use super::stage::Stage;

#[test]
fn what_a_template_says_no_longer_goes_back_to_what_it_is_without() {
    let all = leaves_and_goes_back(&Stage::new());
    for leaves in &all {
        let stays = wattle_openstack::driver::kind(leaves.kind).expect("a kind").stays().contains(&leaves.property);
        assert!(stays == leaves.becomes.is_none() || leaves.property == "value_specs", "{}", leaves.property);
    }
    // Every property that can be dropped has a case. Names have their own, and the others are required, cause a
    // replacement, or only say how something is done.
    for kind in kinds() {
        let schema = schema(kind.name).expect("one of Heat's");
        for (name, property) in schema.properties.iter().filter(|(_, property)| !property.hidden && property.updatable)
        {
            let is_known = all.iter().any(|leaves| leaves.kind == kind.name && leaves.property == &**name)
                || property.required
                || kind.fixed().contains(&&**name)
                || !kind.takes(name)
                || kind.stays().contains(&&**name)
                || KNOWN.contains(&(kind.name, &**name))
                || matches!(&**name, "name" | "value_specs" | "software_config_transport")
                || name.ends_with("_policy") && &**name != "qos_policy";
            assert!(is_known, "{} `{name}` can leave", kind.name);
        }
    }
}

/// Properties that are dropped only together with a replacement, or that have a case below.
const KNOWN: [(&str, &str); 5] = [
    ("OS::Cinder::VolumeAttachment", "instance_uuid"),
    ("OS::Neutron::FloatingIPAssociation", "port_id"),
    // Without an image a server has other disks.
    ("OS::Nova::Server", "image"),
    ("OS::Nova::Server", "networks"),
    // By `user_data_update_policy`.
    ("OS::Nova::Server", "user_data"),
];

/// As in Heat, what a server was given is removed, and Nova chooses. If Nova cannot choose, nothing is removed.
#[test]
fn a_server_whose_networks_are_not_given_any_more_gets_what_nova_chooses() {
    let stage = Stage::new();
    let kind = "OS::Nova::Server";
    let private = stage.get("network", "/networks?name=private")["networks"][0]["id"].clone();
    let port = stage.some("OS::Neutron::Port", &json!({ "network": private }));
    let bare = json!({ "flavor": "m1.small", "image": "debian-12" });
    let mut with = bare.clone();
    with["networks"] = json!([{ "port": port }]);
    let row = stage.row();
    let thing = stage.made(row, kind, &with);
    let other = stage.some("OS::Neutron::Net", &json!({}));
    let what = What::Update { properties: value(&bare) };
    let ports = || {
        let ports = stage.get("network", &format!("/ports?device_id={}", thing.phys))["ports"].clone();
        ports
            .as_array()
            .expect("ports")
            .iter()
            .map(|port| port["id"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let update =
        || stage.once_left(row, kind, Some(&thing.phys), what.clone(), &thing.attributes, &["networks".into()].into());
    let Outcome::Refused(why) = update() else { panic!("it is not refused") };
    assert!(why.contains("Nova cannot choose among 2 networks: set `networks`"), "{why}");
    assert_eq!(ports(), [port.as_str()]);
    stage.ask(Call::new("network", Method::Delete, format!("/networks/{other}"))).expect("deleted");
    let done = (0..20).find_map(|_| match update() {
        Outcome::Later(after) => {
            stage.pass(after);
            None
        }
        outcome => Some(outcome),
    });
    let Some(Outcome::Done(Some(after))) = done else { panic!("{done:?}") };
    assert!(ports().len() == 1 && ports() != [port.as_str()], "{:?}", ports());
    let desk = Desk::expects(row, &bare).knows(row, kind, &thing.phys).noted(&after.attributes);
    assert!(matches!(stage.sight(row, kind, &desk), Some(Sight::Ready(_))));
}
