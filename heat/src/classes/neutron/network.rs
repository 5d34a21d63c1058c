//! Networks: their owners, their segments, and their connections.

use crate::evaluate::Value;
use crate::properties::{is_true, translation};
use crate::resource::values::is_there;
use crate::resource::{Class, Ruled, Subject};

use super::super::rule::broken;
use super::base::NEUTRON;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Neutron::Net", needed: &["port_security_enabled", "dns_domain"], ..NEUTRON },
    Class {
        ty: "OS::Neutron::NetworkGateway",
        translates: &[translation(&["connections", "network"], &["network_id"])],
        validates: &[gateway],
        rebuilds: |change| {
            let help = "Heat deletes the gateway and recreates it for other `devices`; its connections break meanwhile";
            change.has("devices").then(|| help.to_owned())
        },
        effects: &[("devices", "A change recreates the gateway, and its connections break.")],
        ..NEUTRON
    },
    Class { ty: "OS::Neutron::ProviderNet", validates: &[provider], ..NEUTRON },
    Class { ty: "OS::Neutron::RBACPolicy", validates: &[access], ..NEUTRON },
    Class { ty: "OS::Neutron::Segment", validates: &[segment], ..NEUTRON },
    Class { ty: "OS::Neutron::Trunk", immutable: &["port"], ..NEUTRON },
];

fn gateway(subject: Subject<'_>) -> Ruled {
    for connection in subject.maps("connections")? {
        let id = connection.get("segmentation_id");
        match connection.get("segmentation_type").and_then(Value::as_text) {
            Some("vlan") if !id.is_some_and(is_there) => {
                return broken("a connection by VLAN needs a `segmentation_id`", "add one");
            }
            Some("flat") if id.is_some_and(is_true) => {
                return broken("a flat connection takes no `segmentation_id`", "remove it");
            }
            _ => {}
        }
    }
    Ok(None)
}

fn provider(subject: Subject<'_>) -> Ruled {
    let ty = subject.text("network_type")?;
    if subject.is("segmentation_id")? && matches!(&*ty, "local" | "flat") {
        return broken(format!("a network of type {ty} takes no `segmentation_id`"), "remove it");
    }
    if subject.is("physical_network")? && matches!(&*ty, "vxlan" | "gre" | "geneve" | "local") {
        return broken(format!("a network of type {ty} takes no `physical_network`"), "remove it");
    }
    Ok(None)
}

fn access(subject: Subject<'_>) -> Ruled {
    if subject.text("action")? == "access_as_external" && subject.text("object_type")? != "network" {
        return broken("`access_as_external` is only for networks", "write `access_as_shared`");
    }
    Ok(None)
}

fn segment(subject: Subject<'_>) -> Ruled {
    let ty = subject.text("network_type")?;
    let (physical, id) = (subject.has("physical_network")?, subject.own("segmentation_id")?);
    let has_id = is_there(&id);
    match &*ty {
        "flat" | "vlan" if !physical => broken(format!("a network of type {ty} needs a `physical_network`"), "add one"),
        "flat" | "local" if has_id => broken(format!("a network of type {ty} takes no `segmentation_id`"), "remove it"),
        "vlan" if !has_id || matches!(id, Value::Integer(id) if id > 4094) => {
            broken("a VLAN needs a `segmentation_id` of at most 4094", "add one")
        }
        "vxlan" | "gre" | "geneve" if physical => {
            broken(format!("a network of type {ty} takes no `physical_network`"), "remove it")
        }
        _ => Ok(None),
    }
}
