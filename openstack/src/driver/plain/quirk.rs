//! Special behavior of individual Neutron types that does not fit into a table.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use wattle_model::Name;

use super::super::json::{agrees, given, items, text};
use super::super::mark::is_mark;
use super::super::resource_type::words;
use super::super::stop::Stop;
use super::super::work::Work;
use super::group;

/// Special behavior of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::driver) enum Quirk {
    None,
    /// A floating IP has no name, and an association may give it to a port.
    Floating,
    /// A security group has rules, which are separate things.
    Group,
    /// Addresses can be taken from a port.
    Port,
    /// Neutron requires the IP version of a subnet, which Heat derives.
    Subnet,
}

impl Quirk {
    /// Whether a property in no column is implemented.
    pub(super) fn takes(self, property: &str) -> bool {
        match self {
            Self::Group => property == "rules",
            Self::Port => property == "replacement_policy",
            Self::None | Self::Floating | Self::Subnet => false,
        }
    }

    /// Whether creating a thing completely takes more than one request.
    pub(super) fn needs_more(self, properties: &Value) -> bool {
        self == Self::Group && given(properties, "rules").is_some_and(|rules| !items(rules).is_empty())
    }

    /// Adjusts the request before a thing is created.
    pub(super) fn making(self, body: &mut Map<String, Value>) {
        match self {
            Self::Floating => drop(body.remove("name")),
            Self::Subnet => {
                body.entry("ip_version").or_insert_with(|| 4.into());
            }
            Self::None | Self::Group | Self::Port => {}
        }
    }

    /// Adjusts the request before a thing is changed.
    pub(super) fn changing(self, body: &mut Map<String, Value>, item: &Value) {
        // If only one of the two is given, Neutron resets the other.
        if self == Self::Floating && (body.contains_key("port_id") || body.contains_key("fixed_ip_address")) {
            let port = body.entry("port_id").or_insert_with(|| item["port_id"].clone()).clone();
            if port.is_null() {
                body.remove("fixed_ip_address");
            }
        }
    }

    /// Whether a key that the template does not give keeps its value, because something else sets it.
    pub(super) fn keeps(self, key: &str, item: &Value) -> bool {
        match (self, key) {
            // An association sets it.
            (Self::Floating, "port_id") => items(&item["tags"]).iter().any(|tag| tag.as_str().is_some_and(is_mark)),
            // Neutron chooses an address of the port, and a port's owner is set by whatever it is attached to.
            (Self::Floating, "fixed_ip_address") | (Self::Port, "device_id" | "device_owner") => true,
            // Nova names a port after its server.
            (Self::Port, "dns_name") => !text(item, "device_id").is_empty(),
            _ => false,
        }
    }

    /// Sends the further requests that a creation or change requires.
    pub(super) async fn follow(self, work: &Work<'_>, item: &mut Value, properties: &Value) -> Result<(), Stop> {
        match self {
            Self::Group => group::reconcile(work, item, properties).await,
            Self::None | Self::Floating | Self::Port | Self::Subnet => Ok(()),
        }
    }

    /// Returns attributes that are not read from keys.
    pub(super) fn attributes(self, item: &Value) -> Option<(&'static str, Value)> {
        match self {
            Self::Group => Some((group::NOTED, group::noted(item)?)),
            Self::None | Self::Floating | Self::Port | Self::Subnet => None,
        }
    }

    pub(super) async fn differs(
        self,
        work: &Work<'_>,
        item: &Value,
        properties: &Value,
    ) -> Result<Option<String>, Stop> {
        match self {
            Self::Group => group::differs(work, item, properties).await,
            Self::None | Self::Floating | Self::Port | Self::Subnet => Ok(None),
        }
    }

    /// The change that releases what others need; `None` if that is impossible.
    pub(super) fn released(self, item: &Value, exclusive: &BTreeSet<Name>) -> Option<Map<String, Value>> {
        let mut body = Map::new();
        match self {
            Self::Floating if exclusive.iter().all(|name| name.starts_with(FLOATING)) => {
                if !item["port_id"].is_null() {
                    body.insert("port_id".into(), Value::Null);
                }
            }
            Self::Port => {
                let taken: Option<Vec<&str>> = exclusive.iter().map(|name| words::address_in(name)).collect();
                let taken = taken?;
                let is_taken = |ip: &&Value| taken.iter().any(|taken| agrees(&(*taken).into(), &ip["ip_address"]));
                let all = items(&item["fixed_ips"]);
                let rest: Vec<Value> = all.iter().filter(|ip| !is_taken(ip)).cloned().collect();
                if rest.len() < all.len() {
                    body.insert("fixed_ips".into(), rest.into());
                }
            }
            Self::None | Self::Floating | Self::Group | Self::Subnet => return None,
        }
        Some(body)
    }
}

/// The beginning of the text for a floating IP's port.
pub(in crate::driver) const FLOATING: &str = "the floating IP of ";
