//! Changes of servers that a list has just shown: which reads are skipped.

use std::time::Duration;

use serde_json::{Value, json};
use wattle_converge::{Id, Outcome, Thing, What};
use wattle_openstack::Method;
use wattle_openstack::session::Call;

use super::jobs::{Desk, Jobs, value};
use super::stage::Stage;

const SERVER: &str = "OS::Nova::Server";
const PORT: &str = "OS::Neutron::Port";

/// A server with a port, as shown by a list.
struct Shown {
    stage: Stage,
    row: Id,
    server: Thing,
    port: (Id, Thing),
    subnet: String,
}

impl Shown {
    fn new() -> Self {
        let stage = Stage::new();
        let net = stage.some("OS::Neutron::Net", &json!({}));
        let subnet = stage.some("OS::Neutron::Subnet", &json!({ "network": net, "cidr": "10.1.0.0/24" }));
        let port = (stage.row(), json!({ "network": net }));
        let port = (port.0, stage.made(port.0, PORT, &port.1));
        let row = stage.row();
        let server = stage.made(row, SERVER, &properties(&port.1, &json!({})));
        stage.list(SERVER, &Desk::default());
        stage.asked();
        Self { stage, row, server, port, subnet }
    }

    /// Changes the server, and returns the result.
    fn changed(&self, more: &Value) -> Thing {
        let what = What::Update { properties: value(&properties(&self.port.1, more)) };
        match self.stage.carry_out(self.row, SERVER, Some(&self.server.phys), &what) {
            Outcome::Done(Some(thing)) => thing,
            outcome => panic!("{more}: {outcome:?}"),
        }
    }

    /// Somebody else changes the server.
    fn by_hand(&self, path: &str, body: Value) {
        let path = format!("/servers/{}{path}", self.server.phys);
        self.stage.ask(Call::new("compute", Method::Post, path).body(body)).expect("an answer");
        self.stage.pass(Duration::from_secs(5));
    }

    /// The requests since then, except those that look up names.
    fn asked(&self, what: &str) -> Vec<String> {
        self.stage.asked().into_iter().filter(|asked| asked.contains(what)).collect()
    }
}

fn properties(port: &Thing, more: &Value) -> Value {
    let nics = json!([{ "port": port.phys.to_string() }]);
    let mut all = json!({ "flavor": "m1.small", "image": "debian-12", "networks": nics });
    for (property, given) in more.as_object().expect("properties") {
        all[property] = given.clone();
    }
    all
}

#[test]
fn names_and_metadata_are_written_without_reading_them_again() {
    let shown = Shown::new();
    let thing = shown.changed(&json!({ "metadata": { "by": "us" } }));
    assert_eq!(shown.asked("/servers/"), [format!("PUT /compute/v2.1/servers/{}/metadata", thing.phys)]);
    assert_eq!(thing.attributes, shown.server.attributes);
    // Only once.
    shown.changed(&json!({ "metadata": { "by": "us, again" } }));
    assert_eq!(shown.asked("/servers/").len(), 2);
}

#[test]
fn what_depends_on_what_the_server_is_like_is_read_first() {
    let shown = Shown::new();
    let medium = json!({ "flavor": "m1.medium" });
    let flavors = shown.stage.get("compute", "/flavors")["flavors"].clone();
    let id =
        flavors.as_array().expect("flavors").iter().find(|flavor| flavor["name"] == "m1.medium").expect("one")["id"]
            .clone();
    shown.by_hand("/action", json!({ "resize": { "flavorRef": id } }));
    shown.by_hand("/action", json!({ "confirmResize": null }));
    shown.stage.asked();
    shown.changed(&medium);
    assert_eq!(shown.asked("POST"), [""; 0], "somebody has resized it already");

    let shown = Shown::new();
    let other = shown.stage.some("OS::Neutron::Net", &json!({}));
    shown.stage.some("OS::Neutron::Subnet", &json!({ "network": other, "cidr": "10.2.0.0/24" }));
    shown.stage.list(SERVER, &Desk::default());
    shown.by_hand("/os-interface", json!({ "interfaceAttachment": { "net_id": other } }));
    shown.stage.asked();
    shown.changed(&json!({ "networks": [{ "port": shown.port.1.phys.to_string() }, { "network": other }] }));
    assert_eq!(shown.asked("os-interface"), [""; 0], "somebody has attached it already");
}

#[test]
fn a_server_that_is_gone_meanwhile_is_absent() {
    let shown = Shown::new();
    let gone = Call::new("compute", Method::Delete, format!("/servers/{}", shown.server.phys));
    shown.stage.ask(gone).expect("an answer");
    shown.stage.pass(Duration::from_secs(5));
    let what = What::Update { properties: value(&properties(&shown.port.1, &json!({ "metadata": { "by": "us" } }))) };
    assert_eq!(shown.stage.carry_out(shown.row, SERVER, Some(&shown.server.phys), &what), Outcome::Absent);
}

#[test]
fn a_port_s_new_address_is_its_server_s_as_well() {
    let shown = Shown::new();
    let fixed = json!([{ "subnet": shown.subnet, "ip_address": "10.1.0.77" }]);
    let (row, port) = &shown.port;
    let network = shown.stage.get("network", &format!("/ports/{}", port.phys))["port"]["network_id"].clone();
    let what = What::Update { properties: value(&json!({ "network": network, "fixed_ips": fixed })) };
    let done = shown.stage.carry_out(*row, PORT, Some(&port.phys), &what);
    assert!(matches!(done, Outcome::Done(Some(_))), "{done:?}");
    let read = shown.stage.carry_out(shown.row, SERVER, Some(&shown.server.phys), &What::Read);
    let Outcome::Done(Some(thing)) = read else { panic!("{read:?}") };
    assert_eq!(thing.attributes["first_address"], "10.1.0.77".into());
    let thing = shown.changed(&json!({ "metadata": { "by": "us" } }));
    assert_eq!(thing.attributes["first_address"], "10.1.0.77".into());
}
