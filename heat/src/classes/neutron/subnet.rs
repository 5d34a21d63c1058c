//! Subnets and subnet pools.

use std::net::IpAddr;

use crate::evaluate::Value;
use crate::properties::translation;
use crate::resource::values::{integer, items};
use crate::resource::{Change, Class, Given, Ruled, Subject};

use super::super::rule::broken;
use super::base::{NEUTRON, SUBNET};

pub(super) const CLASSES: &[Class] = &[
    Class {
        ty: SUBNET,
        translates: &[translation(&["network"], &["network_id"])],
        validates: &[subnet],
        refuses: fixed_once,
        clashes: same_range,
        ..NEUTRON
    },
    Class { ty: "OS::Neutron::SubnetPool", validates: &[pool], refuses: no_longer_in_pool, ..NEUTRON },
];

/// The ranges of a network do not overlap. A pool gives another range.
fn same_range(change: &Change<'_>) -> Option<&'static str> {
    let stays = !["network", "network_id", "cidr"].into_iter().any(|name| change.has(name));
    (stays && change.after.value("cidr").is_some()).then_some("subnet of the same range in the network")
}

/// Heat chooses a gateway only when it creates the subnet, and assigns a segment only once.
fn fixed_once(change: &Change<'_>) -> Option<String> {
    if change.has("gateway_ip") && change.after.text("gateway_ip") == Some("auto") {
        return Some("`gateway_ip: auto` is only for a new subnet: write the address".to_owned());
    }
    let had_segment = change.has("segment") && change.before.value("segment").is_some();
    (had_segment && change.after.value("segment").is_some())
        .then(|| "a subnet that has a `segment` cannot get another one: leave it as it was".to_owned())
}

/// A pool can only grow: the new prefixes must cover all old ones.
fn no_longer_in_pool(change: &Change<'_>) -> Option<String> {
    let prefixes = |given: Given<'_>| -> Option<Vec<(IpAddr, u8)>> {
        let all = items(given.value("prefixes")?).iter();
        all.map(|one| {
            let (address, length) = one.as_text()?.split_once('/')?;
            Some((address.parse().ok()?, length.parse().ok()?))
        })
        .collect()
    };
    let (before, after) = (prefixes(change.before)?, prefixes(change.after)?);
    let gone = before.iter().find(|old| !after.iter().any(|new| is_within(**old, *new)))?;
    change.has("prefixes").then(|| {
        format!("a pool only grows: keep {}/{} in `prefixes`, or in one of its larger prefixes", gone.0, gone.1)
    })
}

/// Whether one network contains the other.
fn is_within((inner, length): (IpAddr, u8), (outer, outer_length): (IpAddr, u8)) -> bool {
    let shifted = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(u32::from(address)).checked_shr(32_u32.saturating_sub(outer_length.into())),
        IpAddr::V6(address) => u128::from(address).checked_shr(128_u32.saturating_sub(outer_length.into())),
    };
    inner.is_ipv4() == outer.is_ipv4()
        && length >= outer_length
        && shifted(inner).unwrap_or_default() == shifted(outer).unwrap_or_default()
}

fn subnet(subject: Subject<'_>) -> Ruled {
    let (pool, cidr) = (subject.has("subnetpool")?, subject.is("cidr")?);
    if pool && cidr {
        return broken("`subnetpool` and `cidr` exclude each other", "remove one of them");
    }
    if !pool && !cidr {
        return broken("one of `subnetpool` and `cidr` is required", "set one of them");
    }
    if cidr && subject.is("prefixlen")? {
        return broken("`prefixlen` and `cidr` exclude each other", "remove one of them");
    }
    let (ra, address) = (subject.text("ipv6_ra_mode")?, subject.text("ipv6_address_mode")?);
    if subject.own("ip_version")? == Value::Integer(4) && !(ra.is_empty() && address.is_empty()) {
        return broken("`ipv6_ra_mode` and `ipv6_address_mode` are only for IPv6", "set `ip_version: 6`");
    }
    if !ra.is_empty() && !address.is_empty() && ra != address {
        return broken("`ipv6_ra_mode` and `ipv6_address_mode` must be equal", "make them equal");
    }
    let gateway = subject.text("gateway_ip")?;
    if !matches!(&*gateway, "" | "~" | "auto") && gateway.parse::<IpAddr>().is_err() {
        return broken(format!("`gateway_ip` is not an address: `{}`", gateway.escape_debug()), "write an IP address");
    }
    Ok(None)
}

fn pool(subject: Subject<'_>) -> Ruled {
    let number = |key: &str| subject.own(key).map(|value| integer(&value).filter(|number| *number != 0));
    let (min, default, max) = (number("min_prefixlen")?, number("default_prefixlen")?, number("max_prefixlen")?);
    let above =
        |one: Option<i128>, other: Option<i128>| matches!((one, other), (Some(one), Some(other)) if one > other);
    if above(min, max) || above(min, default) || above(default, max) {
        return broken(
            "`min_prefixlen`, `default_prefixlen` and `max_prefixlen` are not in that order",
            "put them in order",
        );
    }
    Ok(None)
}
