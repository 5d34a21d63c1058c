//! Subnets, and pools of them.

use std::net::IpAddr;

use crate::evaluate::Value;
use crate::properties::translation;
use crate::resource::values::integer;
use crate::resource::{Class, Ruled, Subject};

use super::super::rule::broken;
use super::base::{NEUTRON, SUBNET};

pub(super) const CLASSES: &[Class] = &[
    Class { ty: SUBNET, translates: &[translation(&["network"], &["network_id"])], validates: &[subnet], ..NEUTRON },
    Class { ty: "OS::Neutron::SubnetPool", validates: &[pool], ..NEUTRON },
];

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

fn pool(subject: Subject<'_>) -> Ruled {
    let number = |key: &str| subject.own(key).map(|value| integer(&value).filter(|number| *number != 0));
    let (min, default, max) = (number("min_prefixlen")?, number("default_prefixlen")?, number("max_prefixlen")?);
    let above =
        |one: Option<i128>, other: Option<i128>| matches!((one, other), (Some(one), Some(other)) if one > other);
    if above(min, max) || above(min, default) || above(default, max) {
        return broken("`min_prefixlen`, `default_prefixlen` and `max_prefixlen` are not in that order", "order them");
    }
    Ok(None)
}
