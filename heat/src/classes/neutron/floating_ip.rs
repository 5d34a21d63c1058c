//! Floating IPs, and the resources on the route to them.

use crate::evaluate::Value;
use crate::properties::{Refused, is_true, translation};
use crate::resource::values::{items, key, or, same};
use crate::resource::{Class, Found, Resource, Ruled, Subject};

use super::super::rule::broken;
use super::base::{GATEWAY, INTERFACE, NEUTRON, PORT, ROUTER};

pub(super) const CLASSES: &[Class] = &[
    Class {
        ty: "OS::Neutron::FloatingIP",
        translates: &[translation(&["floating_network"], &["floating_network_id"])],
        depends: way_outside,
        validates: &[port_of_address],
        ..NEUTRON
    },
    Class { ty: "OS::Neutron::FloatingIPAssociation", depends: interfaces, ..NEUTRON },
    Class { ty: "OS::Neutron::FloatingIPPortForward", depends: interfaces, ..NEUTRON },
];

/// The route from its external network to its port.
fn way_outside(subject: Subject<'_>) -> Found<'_> {
    let outside = subject.own("floating_network");
    let requires = subject.requires();
    let mut found = Vec::new();
    for (name, other) in subject.all {
        let network = |resource: &Resource| {
            let properties = resource.properties();
            or(properties.get("network")?, || properties.get("network_id"))
        };
        let leads = if other.is(GATEWAY) {
            matches!((network(other), &outside), (Ok(network), Ok(outside)) if same(&network, outside))
        } else if other.is(INTERFACE) {
            let subnet = interface_subnet(other)?;
            let ports = requires.iter().chain(&found).filter_map(|name| subject.all.get(*name));
            ports.into_iter().any(|port| is_on(port, &subnet))
        } else if other.is(ROUTER) {
            match (other.properties().get("external_gateway_info"), &outside) {
                (Ok(gateway), Ok(outside)) => is_true(&gateway) && same(key(&gateway, "network"), outside),
                _ => false,
            }
        } else {
            false
        };
        if leads {
            found.push(&**name);
        }
    }
    Ok(found)
}

/// The interfaces to the subnets of its port.
fn interfaces(subject: Subject<'_>) -> Found<'_> {
    let requires = subject.requires();
    let mut found = Vec::new();
    for (name, interface) in subject.others(INTERFACE) {
        let subnet = interface_subnet(interface)?;
        let mut is_on = false;
        for other in requires.iter().chain(&found).filter_map(|name| subject.all.get(*name)) {
            if other.is(PORT) && on_subnet(&other.properties().get("fixed_ips")?, &subnet) {
                is_on = true;
                break;
            }
        }
        if is_on {
            found.push(name);
        }
    }
    Ok(found)
}

fn interface_subnet(interface: &Resource) -> Result<Value, Refused> {
    let properties = interface.properties();
    or(properties.get("subnet")?, || properties.get("subnet_id"))
}

/// Whether one of the addresses is on the subnet.
fn on_subnet(addresses: &Value, subnet: &Value) -> bool {
    items(addresses).iter().any(|address| {
        let own = key(address, "subnet");
        let own = if is_true(own) { own } else { key(address, "subnet_id") };
        same(own, subnet)
    })
}

/// Whether a port can be on the subnet of an interface.
fn is_on(port: &Resource, subnet: &Value) -> bool {
    if !port.is(PORT) {
        return false;
    }
    let Ok(fixed) = port.properties().get("fixed_ips") else { return false };
    if is_true(&fixed) {
        return on_subnet(&fixed, subnet);
    }
    // For a known subnet Heat would ask Neutron, which does not know a network that has not been created yet.
    matches!(subnet, Value::Null | Value::Unknown)
}

fn port_of_address(subject: Subject<'_>) -> Ruled {
    if !subject.has("port_id")? && subject.has("fixed_ip_address")? {
        return broken("`fixed_ip_address` needs `port_id`", "add one");
    }
    Ok(None)
}
