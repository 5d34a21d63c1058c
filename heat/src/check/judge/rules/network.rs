//! Networks and load balancers.

use std::net::IpAddr;

use crate::evaluate::Value;

use super::super::Subject;
use super::super::class::map;
use super::{Ruled, broken, not_both, one_of, true_of};

pub(super) fn rule(subject: Subject<'_>, ty: &str) -> Ruled {
    match ty {
        "OS::Neutron::Port" => not_both(subject, "fixed_ips", "no_fixed_ips"),
        "OS::Neutron::Router" => router(subject),
        "OS::Neutron::RouterInterface" => {
            if subject.has("subnet")? && subject.has("port")? {
                return broken("`subnet` and `port` exclude each other", "take one of them away");
            }
            one_of(subject, &["subnet", "port"])
        }
        "OS::Neutron::Subnet" => subnet(subject),
        "OS::Neutron::SecurityGroup" => {
            if subject.text("name")? == "default" {
                return broken("no group of one's own is called `default`", "call it something else");
            }
            Ok(None)
        }
        "OS::Neutron::SecurityGroupRule" => security_group_rule(subject),
        "OS::Neutron::ProviderNet" => provider(subject),
        "OS::Neutron::NetworkGateway" => network_gateway(subject),
        "OS::Neutron::RBACPolicy" => access(subject),
        "OS::Neutron::Segment" => segment(subject),
        "OS::Neutron::SubnetPool" => subnet_pool(subject),
        "OS::Neutron::FloatingIP" => {
            if !subject.has("port_id")? && subject.has("fixed_ip_address")? {
                return broken("`fixed_ip_address` needs `port_id`", "give it one");
            }
            Ok(None)
        }
        "OS::Neutron::Quota" | "OS::Octavia::Quota" => {
            let schema = subject.resource.properties().schema;
            let keys: Vec<_> = schema.keys().map(|key| &**key).filter(|key| *key != "project").collect();
            one_of(subject, &keys)
        }
        "OS::Octavia::Pool" => pool(subject),
        "OS::Octavia::Listener" => {
            if subject.text("protocol")? == "TERMINATED_HTTPS" && !subject.has("default_tls_container_ref")? {
                return broken("TERMINATED_HTTPS needs `default_tls_container_ref`", "give it one");
            }
            Ok(None)
        }
        "OS::Octavia::L7Policy" => policy(subject),
        "OS::Octavia::L7Rule" => {
            if matches!(&*subject.text("type")?, "HEADER" | "COOKIE") && !subject.has("key")? {
                return broken("a rule of headers or cookies needs a `key`", "give it one");
            }
            Ok(None)
        }
        _ => value_specs(subject),
    }
}

/// What has a property of its own is not given there. Classes with rules of their own do not ask this.
fn value_specs(subject: Subject<'_>) -> Ruled {
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

fn router(subject: Subject<'_>) -> Ruled {
    let agents = match subject.own("l3_agent_ids")? {
        Value::List(agents) => agents.len(),
        _ => 0,
    };
    if subject.is("distributed")? && (subject.is("l3_agent_id")? || agents > 0) {
        return broken("a distributed router has no L3 agents of its own", "take one of them away");
    }
    if !subject.is("ha")? && agents > 1 {
        return broken("a router that is not highly available has one L3 agent", "set `ha: true`");
    }
    not_both(subject, "ha", "distributed")
}

fn subnet(subject: Subject<'_>) -> Ruled {
    let (pool, cidr) = (subject.has("subnetpool")?, subject.is("cidr")?);
    if pool && cidr {
        return broken("`subnetpool` and `cidr` exclude each other", "take one of them away");
    }
    if !pool && !cidr {
        return broken("one of `subnetpool` and `cidr` must be there", "give one of them");
    }
    if cidr && subject.is("prefixlen")? {
        return broken("`prefixlen` and `cidr` exclude each other", "take one of them away");
    }
    let (ra, address) = (subject.text("ipv6_ra_mode")?, subject.text("ipv6_address_mode")?);
    if subject.own("ip_version")? == Value::Integer(4) && !(ra.is_empty() && address.is_empty()) {
        return broken("`ipv6_ra_mode` and `ipv6_address_mode` are of IPv6", "set `ip_version: 6`");
    }
    if !ra.is_empty() && !address.is_empty() && ra != address {
        return broken("`ipv6_ra_mode` and `ipv6_address_mode` must be equal", "make them so");
    }
    let gateway = subject.text("gateway_ip")?;
    if !matches!(&*gateway, "" | "~" | "auto") && gateway.parse::<IpAddr>().is_err() {
        return broken(format!("`gateway_ip` is no address: `{}`", gateway.escape_debug()), "write an IP address");
    }
    Ok(None)
}

fn security_group_rule(subject: Subject<'_>) -> Ruled {
    if subject.has("remote_group")? && subject.has("remote_ip_prefix")? {
        return broken("`remote_group` and `remote_ip_prefix` exclude each other", "take one of them away");
    }
    let (Value::Integer(max), Value::Integer(min)) = (subject.own("port_range_max")?, subject.own("port_range_min")?)
    else {
        return Ok(None);
    };
    if max < min && !matches!(&*subject.text("protocol")?, "icmp" | "icmpv6" | "ipv6-icmp") {
        return broken("`port_range_min` is greater than `port_range_max`", "swap them");
    }
    Ok(None)
}

fn provider(subject: Subject<'_>) -> Ruled {
    let ty = subject.text("network_type")?;
    if subject.is("segmentation_id")? && matches!(&*ty, "local" | "flat") {
        return broken(format!("a network of the type {ty} has no `segmentation_id`"), "take it away");
    }
    if subject.is("physical_network")? && matches!(&*ty, "vxlan" | "gre" | "geneve" | "local") {
        return broken(format!("a network of the type {ty} has no `physical_network`"), "take it away");
    }
    Ok(None)
}

fn segment(subject: Subject<'_>) -> Ruled {
    let ty = subject.text("network_type")?;
    let (physical, id) = (subject.has("physical_network")?, subject.own("segmentation_id")?);
    let has_id = super::is_there(&id);
    match &*ty {
        "flat" | "vlan" if !physical => {
            broken(format!("a network of the type {ty} needs a `physical_network`"), "give it one")
        }
        "flat" | "local" if has_id => {
            broken(format!("a network of the type {ty} has no `segmentation_id`"), "take it away")
        }
        "vlan" if !has_id || matches!(id, Value::Integer(id) if id > 4094) => {
            broken("a VLAN has a `segmentation_id` up to 4094", "give it one")
        }
        "vxlan" | "gre" | "geneve" if physical => {
            broken(format!("a network of the type {ty} has no `physical_network`"), "take it away")
        }
        _ => Ok(None),
    }
}

fn network_gateway(subject: Subject<'_>) -> Ruled {
    for connection in subject.maps("connections")? {
        let id = connection.get("segmentation_id");
        match connection.get("segmentation_type").and_then(Value::as_text) {
            Some("vlan") if !id.is_some_and(super::is_there) => {
                return broken("a connection by VLAN needs a `segmentation_id`", "give it one");
            }
            Some("flat") if id.is_some_and(super::is_true) => {
                return broken("a flat connection has no `segmentation_id`", "take it away");
            }
            _ => {}
        }
    }
    Ok(None)
}

fn access(subject: Subject<'_>) -> Ruled {
    if subject.text("action")? == "access_as_external" && subject.text("object_type")? != "network" {
        return broken("`access_as_external` is for networks", "write `access_as_shared`");
    }
    Ok(None)
}

fn subnet_pool(subject: Subject<'_>) -> Ruled {
    let number = |key: &str| {
        Ok(match subject.own(key)? {
            Value::Integer(number) if number != 0 => Some(number),
            _ => None,
        })
    };
    let (min, default, max) = (number("min_prefixlen")?, number("default_prefixlen")?, number("max_prefixlen")?);
    let above =
        |one: Option<i128>, other: Option<i128>| matches!((one, other), (Some(one), Some(other)) if one > other);
    if above(min, max) || above(min, default) || above(default, max) {
        return broken("`min_prefixlen`, `default_prefixlen` and `max_prefixlen` are not in that order", "order them");
    }
    Ok(None)
}

fn pool(subject: Subject<'_>) -> Ruled {
    let persistence = subject.own("session_persistence")?;
    let items = map(persistence);
    let cookie = true_of(&items, "cookie_name");
    match items.get("type").and_then(Value::as_text) {
        Some("APP_COOKIE") if !cookie => broken("APP_COOKIE needs a `cookie_name`", "give it one"),
        Some("SOURCE_IP") if cookie => broken("SOURCE_IP has no `cookie_name`", "take it away"),
        _ => one_of(subject, &["listener", "loadbalancer"]),
    }
}

fn policy(subject: Subject<'_>) -> Ruled {
    let (pool, url) = (subject.has("redirect_pool")?, subject.has("redirect_url")?);
    match &*subject.text("action")? {
        "REJECT" if pool || url => broken("REJECT has no `redirect_pool` or `redirect_url`", "take them away"),
        "REDIRECT_TO_POOL" if url || !pool => {
            broken("REDIRECT_TO_POOL has a `redirect_pool` and no `redirect_url`", "give that")
        }
        "REDIRECT_TO_URL" if pool || !url => {
            broken("REDIRECT_TO_URL has a `redirect_url` and no `redirect_pool`", "give that")
        }
        _ => Ok(None),
    }
}
