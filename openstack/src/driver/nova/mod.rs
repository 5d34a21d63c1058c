//! Nova's types. Source: Compute API v2.1, and Heat's classes for the meaning of properties.
//!
//! `server` finds, reads and removes servers, `boot` creates them, `change` changes them, and `nics` determines their
//! ports. `group` handles server groups, and `key` key pairs.

mod boot;
mod change;
mod group;
mod key;
mod nics;
mod server;

use std::time::Duration;

use serde_json::Value;

use super::json::{given, given_text, items, text};
use super::resource_type::{ResourceType, words};

pub(super) const KINDS: &[ResourceType] = &[
    ResourceType {
        name: "OS::Nova::Server",
        service: "compute",
        also: for_servers,
        fixed: &["admin_pass"],
        stays: &[],
        shows: &["OS::Neutron::Port"],
        exclusive: of_server,
        turns: in_a_group,
        patience: Duration::from_mins(30),
        drains: true,
        driver: &server::Servers,
        takes: server::takes,
        beyond: nics::beyond,
    },
    ResourceType {
        name: "OS::Nova::ServerGroup",
        service: "compute",
        also: |_| Vec::new(),
        fixed: &[],
        stays: &[],
        shows: &[],
        exclusive: |_| Vec::new(),
        turns: |_| Vec::new(),
        patience: Duration::from_mins(10),
        drains: false,
        driver: &group::Groups,
        takes: |property| matches!(property, "name" | "policies" | "rules"),
        beyond: |_| None,
    },
    ResourceType {
        name: "OS::Nova::KeyPair",
        service: "compute",
        also: |_| Vec::new(),
        fixed: &[],
        stays: &[],
        shows: &[],
        exclusive: |properties| {
            given_text(properties, "name").map(|name| format!("the key pair's name {name}")).into_iter().collect()
        },
        turns: |_| Vec::new(),
        patience: Duration::from_mins(10),
        drains: false,
        driver: &key::Keys,
        takes: |property| matches!(property, "name" | "public_key" | "type"),
        beyond: key::beyond,
    },
];

/// Neutron is needed for ports, and Glance for the names of images.
fn for_servers(properties: &Value) -> Vec<&'static str> {
    let devices = given(properties, "block_device_mapping_v2").map(items).unwrap_or_default();
    let has_image = |of: &Value| given(of, "image").or_else(|| given(of, "image_id")).is_some();
    let image = (has_image(properties) || devices.iter().any(has_image)).then_some("image");
    image.into_iter().chain(["network"]).collect()
}

/// Ports, addresses and volumes.
fn of_server(properties: &Value) -> Vec<String> {
    let mut held = Vec::new();
    for nic in given(properties, "networks").map(items).unwrap_or_default() {
        let network = given_text(nic, "network").or_else(|| given_text(nic, "uuid")).unwrap_or_default();
        match (given_text(nic, "port"), given_text(nic, "fixed_ip")) {
            (Some(port), _) => held.push(words::port(port)),
            (None, Some(address)) => held.push(words::address(address, network)),
            (None, None) => {}
        }
    }
    for key in ["block_device_mapping_v2", "block_device_mapping"] {
        let devices = given(properties, key).map(items).unwrap_or_default();
        held.extend(
            devices.iter().map(|device| text(device, "volume_id")).filter(|id| !id.is_empty()).map(words::volume),
        );
    }
    held
}

/// If Nova creates several servers of a group at once, it schedules them independently of each other. Then some servers
/// violate the group's policy, or end in the state ERROR.
fn in_a_group(properties: &Value) -> Vec<String> {
    let hints = given(properties, "scheduler_hints");
    let group = hints.map(|hints| text(hints, "group")).filter(|group| !group.is_empty());
    group.map(|group| format!("its turn in the server group {group}")).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use wattle_model::Value;

    use crate::driver::kind;

    #[test]
    fn members_of_a_group_take_turns() {
        let turns = |text: &str| {
            let properties: Value = serde_json::from_str(text).expect("properties");
            kind("OS::Nova::Server").expect("a type").turns(&properties).into_iter().collect::<Vec<_>>().join(", ")
        };
        let group = r#"{"scheduler_hints": {"group": "1234", "different_host": "5678"}}"#;
        assert_eq!(turns(group), "its turn in the server group 1234");
        assert_eq!(turns(r#"{"scheduler_hints": {"different_host": "5678"}}"#), "");
        assert_eq!(turns(r#"{"flavor": "m1.small"}"#), "");
    }
}
