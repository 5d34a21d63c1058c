//! The value that a key reverts to when a template no longer gives its property, where it is not the same for all
//! things of a type.
//!
//! It is the value in a new thing without the property. As in Heat, these keep their value: addresses of a port, the
//! address of a port that a floating IP leads to, and values of `value_specs`, whose defaults are not known.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde_json::{Value, json};
use wattle_words::types::Cidr;

use super::super::json::{agrees, encoded, given, text};
use super::super::stop::Stop;
use super::super::work::{Work, get};
use super::{Column, Plain, Quirk};

/// Neutron's default security group for ports.
const DEFAULT: &str = "default";

impl Plain {
    /// The value that a key reverts to, if its property was given until now and no longer is.
    pub(super) async fn left(
        &self,
        work: &Work<'_>,
        column: &Column,
        item: &Value,
        properties: &Value,
    ) -> Result<Option<Value>, Stop> {
        let has_left = |column: &Column| work.has_left(column.property) || work.has_left(column.key);
        let is_of_gateway =
            || column.key == "allocation_pools" && self.columns.iter().any(|of| of.key == "gateway_ip" && has_left(of));
        if !has_left(column) && !is_of_gateway() {
            return Ok(None);
        }
        Ok(match (self.quirk, column.key) {
            (Quirk::Subnet, "gateway_ip") => first_of(item).map(|first| first.to_string().into()),
            (Quirk::Subnet, "allocation_pools") => pools(item, gateway(work, item, properties).as_deref()),
            (Quirk::Port, "security_groups") if is_unsecured(item, properties) => Some(json!([])),
            (Quirk::Port, "security_groups") => default_group(work, item).await?,
            (Quirk::Port, "port_security_enabled") => of_network(work, item).await?,
            // Something else may have claimed it in the meantime.
            (Quirk::Port, "device_id" | "device_owner") => {
                let is_as_given = self.noted(work, column.key).is_some_and(|noted| agrees(&noted, &item[column.key]));
                is_as_given.then(|| "".into())
            }
            (_, "port_security_enabled") => Some(true.into()),
            _ => None,
        })
    }
}

/// Whether a port has no security groups because filtering is disabled.
fn is_unsecured(item: &Value, properties: &Value) -> bool {
    given(properties, "port_security_enabled").unwrap_or(&item["port_security_enabled"]) == false
}

/// The default security group of the project's ports.
async fn default_group(work: &Work<'_>, item: &Value) -> Result<Option<Value>, Stop> {
    let path = format!("/security-groups?name={DEFAULT}&tenant_id={}&fields=id", encoded(text(item, "tenant_id")));
    let found = work.listed(get("network", path), "security_groups").await?;
    Ok(found.first().map(|group| json!([group["id"]])))
}

/// Whether port security is enabled on the network of a port.
async fn of_network(work: &Work<'_>, item: &Value) -> Result<Option<Value>, Stop> {
    let path = format!("/networks/{}", text(item, "network_id"));
    let network = work.read(get("network", path), "network").await?;
    Ok(network.map(|network| network["port_security_enabled"].clone()).filter(|enabled| !enabled.is_null()))
}

/// The wanted gateway of a subnet.
fn gateway(work: &Work<'_>, item: &Value, properties: &Value) -> Option<String> {
    let said = given(properties, "gateway_ip").and_then(Value::as_str);
    match said {
        Some("" | "~") => None,
        Some(address) if address != "auto" => Some(address.to_owned()),
        _ if work.has_left("gateway_ip") => first_of(item).map(|first| first.to_string()),
        _ => Some(text(item, "gateway_ip").to_owned()).filter(|address| !address.is_empty()),
    }
}

/// The first and the last address of a subnet's range, as numbers, and whether it is an IPv4 range.
fn range(item: &Value) -> Option<(u128, u128, bool)> {
    let cidr: Cidr = text(item, "cidr").parse().ok()?;
    let (address, bits) = (number(cidr.address()), if cidr.address().is_ipv4() { 32 } else { 128 });
    let size = 1_u128.checked_shl(bits - u32::from(cidr.prefix())).unwrap_or(0).wrapping_sub(1);
    Some((address & !size, address | size, cidr.address().is_ipv4()))
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

fn address(number: u128, is_four: bool) -> Option<IpAddr> {
    Some(if is_four {
        Ipv4Addr::from_bits(u32::try_from(number).ok()?).into()
    } else {
        Ipv6Addr::from_bits(number).into()
    })
}

/// The default gateway that Neutron chooses for a subnet.
fn first_of(item: &Value) -> Option<IpAddr> {
    let (first, last, is_four) = range(item)?;
    (first < last).then(|| address(first + 1, is_four)).flatten()
}

/// The default pools of a subnet: all of its addresses except the gateway, the network address, and the broadcast
/// address.
fn pools(item: &Value, gateway: Option<&str>) -> Option<Value> {
    let (first, last, is_four) = range(item)?;
    let (from, to) = (first.checked_add(1)?, if is_four { last.checked_sub(1)? } else { last });
    let gateway = gateway.and_then(|gateway| gateway.parse().ok().map(number));
    let parts = match gateway.filter(|gateway| (from..=to).contains(gateway)) {
        Some(gateway) => vec![(from, gateway - 1), (gateway + 1, to)],
        None => vec![(from, to)],
    };
    let pool = |(from, to): (u128, u128)| {
        let (start, end) = (address(from, is_four)?, address(to, is_four)?);
        Some(json!({ "start": start.to_string(), "end": end.to_string() }))
    };
    parts.into_iter().filter(|(from, to)| from <= to).map(pool).collect::<Option<Vec<_>>>().map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subnet_goes_back_to_what_neutron_makes_of_its_range() {
        let of = |cidr: &str| {
            let item = json!({ "cidr": cidr });
            let first = first_of(&item).map(|first| first.to_string());
            let pools = pools(&item, first.as_deref()).expect("pools");
            let pools: Vec<String> = pools
                .as_array()
                .expect("a list")
                .iter()
                .map(|pool| format!("{}-{}", text(pool, "start"), text(pool, "end")))
                .collect();
            (first.unwrap_or_default(), pools.join(" "))
        };
        let is = |cidr: &str, first: &str, pools: &str| assert_eq!(of(cidr), (first.to_owned(), pools.to_owned()));
        is("10.2.0.0/24", "10.2.0.1", "10.2.0.2-10.2.0.254");
        is("10.2.0.77/30", "10.2.0.77", "10.2.0.78-10.2.0.78");
        is("0.0.0.0/0", "0.0.0.1", "0.0.0.2-255.255.255.254");
        is("2001:db8::/64", "2001:db8::1", "2001:db8::2-2001:db8::ffff:ffff:ffff:ffff");
        assert_eq!(
            pools(&json!({ "cidr": "10.2.0.0/29" }), Some("10.2.0.3")),
            Some(json!([{ "start": "10.2.0.1", "end": "10.2.0.2" }, { "start": "10.2.0.4", "end": "10.2.0.6" }]))
        );
        assert_eq!(first_of(&json!({ "cidr": "" })), None);
    }
}
