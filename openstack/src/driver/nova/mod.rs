//! Nova's types. Source: Compute API v2.1, and Heat's classes for what properties mean.
//!
//! `server` finds, reads and removes servers, `boot` makes them, `change` changes them, `nics` says which ports they are to
//! have; `group` has groups of them, and `key` key pairs.

mod boot;
mod change;
mod group;
mod key;
mod nics;
mod server;

use std::time::Duration;

use serde_json::Value;

use super::json::{given, given_text, items, text};
use super::kind::{Kind, words};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "OS::Nova::Server",
        service: "compute",
        fixed: &["admin_pass"],
        exclusive: of_server,
        patience: Duration::from_mins(30),
        drains: true,
        driver: &server::Servers,
        takes: server::takes,
    },
    Kind {
        name: "OS::Nova::ServerGroup",
        service: "compute",
        fixed: &[],
        exclusive: |_| Vec::new(),
        patience: Duration::from_mins(10),
        drains: false,
        driver: &group::Groups,
        takes: |property| matches!(property, "name" | "policies" | "rules"),
    },
    Kind {
        name: "OS::Nova::KeyPair",
        service: "compute",
        fixed: &[],
        exclusive: |properties| {
            given_text(properties, "name").map(|name| format!("the key pair's name {name}")).into_iter().collect()
        },
        patience: Duration::from_mins(10),
        drains: false,
        driver: &key::Keys,
        takes: |property| matches!(property, "name" | "public_key" | "type"),
    },
];

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
