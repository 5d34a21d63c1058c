//! Routers and their attachments.

use crate::properties::{Addition, is_true, translation};
use crate::resource::values::{items, key};
use crate::resource::{Change, Class, Found, Ruled, Subject};

use super::super::rule::{broken, not_both, one_of};
use super::base::{GATEWAY, INTERFACE, NEUTRON, ROUTER, SUBNET};

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Neutron::ExtraRoute", depends: attached, ..NEUTRON },
    Class { ty: "OS::Neutron::ExtraRouteSet", depends: interfaces, ..NEUTRON },
    Class {
        ty: ROUTER,
        adds: &[Addition { to: "l3_agent_ids", from: "l3_agent_id", within: None }],
        depends: outside,
        validates: &[router],
        ..NEUTRON
    },
    Class {
        ty: GATEWAY,
        translates: &[translation(&["network"], &["network_id"])],
        depends: |gateway| Ok(inside_and_outside(gateway)),
        ..NEUTRON
    },
    Class {
        ty: INTERFACE,
        clashes: same_place,
        translates: &[
            translation(&["port"], &["port_id"]),
            translation(&["router"], &["router_id"]),
            translation(&["subnet"], &["subnet_id"]),
        ],
        validates: &[subnet_or_port],
        ..NEUTRON
    },
];

/// Its port has the address of the subnet's gateway.
fn same_place(change: &Change<'_>) -> Option<&'static str> {
    let stays = !["subnet", "subnet_id", "port", "port_id"].into_iter().any(|name| change.has(name));
    stays.then_some("interface for the same subnet or port")
}

/// All subnets of the external network.
fn outside(subject: Subject<'_>) -> Found<'_> {
    let gateway = subject.own("external_gateway_info")?;
    if !is_true(&gateway) {
        return Ok(Vec::new());
    }
    Ok(subject.others_with(SUBNET, "network", key(&gateway, "network")))
}

/// The router's interfaces, and all subnets of the external network. Either is left out if it cannot be read.
fn inside_and_outside(subject: Subject<'_>) -> Vec<&str> {
    let others = |own: &str, ty, key| subject.own(own).map(|value| subject.others_with(ty, key, &value));
    let mut found = others("router_id", INTERFACE, "router").unwrap_or_default();
    found.extend(others("network", SUBNET, "network").unwrap_or_default());
    found
}

/// The router's interfaces and gateways.
fn attached(subject: Subject<'_>) -> Found<'_> {
    let router = subject.own("router_id")?;
    let mut found = subject.others_with(INTERFACE, "router", &router);
    found.extend(subject.others_with(GATEWAY, "router_id", &router));
    Ok(found)
}

/// The router's interfaces.
fn interfaces(subject: Subject<'_>) -> Found<'_> {
    Ok(subject.others_with(INTERFACE, "router", &subject.own("router")?))
}

fn subnet_or_port(subject: Subject<'_>) -> Ruled {
    if subject.has("subnet")? && subject.has("port")? {
        return broken("`subnet` and `port` exclude each other", "remove one of them");
    }
    one_of(subject, ["subnet", "port"])
}

fn router(subject: Subject<'_>) -> Ruled {
    let agents = items(&subject.own("l3_agent_ids")?).len();
    if subject.is("distributed")? && (subject.is("l3_agent_id")? || agents > 0) {
        return broken("a distributed router does not have its own L3 agents", "remove one of them");
    }
    if !subject.is("ha")? && agents > 1 {
        return broken("a router that is not highly available can have only one L3 agent", "set `ha: true`");
    }
    not_both(subject, "ha", "distributed")
}
