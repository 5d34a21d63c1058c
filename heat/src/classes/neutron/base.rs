//! Common to all of Neutron's types.

use crate::resource::values::map;
use crate::resource::{Class, Refers, Ruled, Subject};

use super::super::rule::broken;

/// A Neutron class without behaviour of its own.
pub(in crate::classes) const NEUTRON: Class =
    Class { refers: Refers::Nothing, validates: &[value_specs], ..Class::PLAIN };

pub(super) const GATEWAY: &str = "OS::Neutron::RouterGateway";
pub(super) const INTERFACE: &str = "OS::Neutron::RouterInterface";
pub(super) const PORT: &str = "OS::Neutron::Port";
pub(super) const ROUTER: &str = "OS::Neutron::Router";
pub(super) const SUBNET: &str = "OS::Neutron::Subnet";

/// Values that have a separate property cannot be given here. Classes with their own rules do not check this.
pub(in crate::classes) fn value_specs(subject: Subject<'_>) -> Ruled {
    let schema = subject.resource.properties().schema;
    if !schema.contains_key("value_specs") {
        return Ok(None);
    }
    let banned = |key: &&String| matches!(&***key, "shared" | "tenant_id") || schema.contains_key(&***key);
    match map(subject.own("value_specs")?).keys().find(banned) {
        Some(key) => broken(format!("`{key}` does not belong in `value_specs`"), "set it as a property"),
        None => Ok(None),
    }
}
