//! What all of Neutron's types have in common.

use crate::resource::values::map;
use crate::resource::{Change, Class, Refers, Ruled, Subject};

use super::super::rule::broken;

/// A class of Neutron's that does nothing of its own.
pub(in crate::classes) const NEUTRON: Class =
    Class { refers: Refers::Nothing, validates: &[value_specs], ..Class::PLAIN };

pub(super) const GATEWAY: &str = "OS::Neutron::RouterGateway";
pub(super) const INTERFACE: &str = "OS::Neutron::RouterInterface";
pub(super) const PORT: &str = "OS::Neutron::Port";
pub(super) const ROUTER: &str = "OS::Neutron::Router";
pub(super) const SUBNET: &str = "OS::Neutron::Subnet";

/// What has a property of its own is not given there. Classes with rules of their own do not ask this.
pub(in crate::classes) fn value_specs(subject: Subject<'_>) -> Ruled {
    let schema = subject.resource.properties().schema;
    if !schema.contains_key("value_specs") {
        return Ok(None);
    }
    let banned = |key: &&String| matches!(&***key, "shared" | "tenant_id") || schema.contains_key(&***key);
    match map(subject.own("value_specs")?).keys().find(banned) {
        Some(key) => broken(format!("`{key}` is not given in `value_specs`"), "give it as a property"),
        None => Ok(None),
    }
}

/// Heat sends nothing for what is no more given and has no default, and Neutron takes that for neither a truth value nor a text.
pub(super) fn taken_away(change: &Change<'_>, properties: &[&str]) -> Option<String> {
    let is_gone = |name: &&&str| change.has(name) && change.after.value(name).is_none();
    let gone = properties.iter().find(is_gone)?;
    let instead = if *gone == "port_security_enabled" { "true" } else { "''" };
    Some(format!("Neutron refuses that Heat takes `{gone}` away: say `{instead}`"))
}
