//! The surroundings of this machine: its uplinks, and the addresses that are not in use there.

use std::net::Ipv4Addr;

use serde::Deserialize;

use crate::local::address::SIZE;
use crate::local::error::UpError;

use super::tools::{Tools, listed, refuse};

/// The ranges for the servers' outgoing addresses: networks for benchmarks (RFC 2544), and those between a provider and
/// its customers (RFC 6598). Networks behind a gateway, such as a company's 10.0.0.0/8, are not shadowed.
const RANGES: [(Ipv4Addr, u32); 2] = [(Ipv4Addr::new(198, 18, 0, 0), 15), (Ipv4Addr::new(100, 64, 0, 0), 10)];
/// The MTU of Ethernet.
const MTU: u32 = 1500;

/// The surroundings of this machine, according to its routes.
#[derive(Debug, Default)]
pub(super) struct Outside {
    /// Networks in use, as first and last address.
    taken: Vec<(u32, u32)>,
    /// The interfaces with routes to elsewhere.
    pub(super) uplinks: Vec<String>,
    /// The next hops of the default routes.
    pub(super) gateways: Vec<Ipv4Addr>,
    /// The MTU of the default route.
    pub(super) mtu: u32,
}

#[derive(Deserialize)]
struct Route {
    dst: String,
    #[serde(default)]
    dev: Option<String>,
    #[serde(default)]
    gateway: Option<String>,
    #[serde(default)]
    nexthops: Vec<Hop>,
}

#[derive(Deserialize)]
struct Hop {
    #[serde(default)]
    dev: Option<String>,
    #[serde(default)]
    gateway: Option<String>,
}

impl Outside {
    /// Reads the present routes.
    pub(super) fn read(tools: &Tools) -> Result<Self, UpError> {
        let text = tools.ip(&["-json", "-4", "route", "show", "table", "all"])?;
        let mut outside = Self::parse(&text)?;
        let uplinks = tools.links()?.into_iter().filter(|link| outside.uplinks.contains(&link.name));
        outside.mtu = uplinks.map(|link| link.mtu).min().unwrap_or(MTU).clamp(576, MTU);
        Ok(outside)
    }

    fn parse(text: &str) -> Result<Self, UpError> {
        let routes: Vec<Route> = listed("routes", text)?;
        let mut outside = Self::default();
        for route in routes {
            let own = Hop { dev: route.dev, gateway: route.gateway };
            for hop in std::iter::once(own).chain(route.nexthops) {
                let gateway = hop.gateway.and_then(|gateway| gateway.parse::<Ipv4Addr>().ok());
                if route.dst == "default" {
                    outside.gateways.extend(gateway);
                }
                let dev = hop.dev.filter(|dev| dev != "lo" && !dev.starts_with(super::BRIDGE));
                outside.uplinks.extend(dev);
            }
            outside.taken.extend(network(&route.dst));
        }
        outside.uplinks.sort();
        outside.uplinks.dedup();
        Ok(outside)
    }

    /// The first address of a free range as large as a block, without any of `avoided`. `wanted` selects one of the
    /// free ranges, so that it is usually the same one.
    pub(super) fn free(&self, wanted: u32, avoided: &[Ipv4Addr]) -> Result<Ipv4Addr, UpError> {
        let avoided = avoided.iter().map(|address| (u32::from(*address), u32::from(*address)));
        let taken: Vec<_> = self.taken.iter().copied().chain(avoided).collect();
        let candidates = RANGES.iter().flat_map(|(first, length)| {
            let (first, count) = (u32::from(*first), (1_u32 << (32 - length)) / SIZE);
            (0..count).map(move |step| first + (wanted.wrapping_add(step) % count) * SIZE)
        });
        let mut free =
            candidates.filter(|first| taken.iter().all(|(from, to)| first + (SIZE - 1) < *from || to < first));
        let found = free.next().map(Ipv4Addr::from);
        found.ok_or_else(|| refuse("routes of this machine take up all of 198.18.0.0/15 and 100.64.0.0/10"))
    }
}

/// The first and the last address of a network. `None` for `default`.
fn network(text: &str) -> Option<(u32, u32)> {
    let (address, length) = text.split_once('/').unwrap_or((text, "32"));
    let address = u32::from(address.parse::<Ipv4Addr>().ok()?);
    let length: u32 = length.parse().ok().filter(|length| (1..=32).contains(length))?;
    let rest = u32::MAX.checked_shr(length).unwrap_or(0);
    Some((address & !rest, address | rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTES: &str = r#"[
        {"dst":"default","gateway":"192.0.2.1","dev":"eth0","flags":[]},
        {"dst":"192.0.2.0/24","dev":"eth0","protocol":"kernel","scope":"link","prefsrc":"192.0.2.2","flags":[]},
        {"dst":"198.18.16.0/20","dev":"wattle-0a0b0c","flags":[]},
        {"dst":"default","flags":[],"nexthops":[{"gateway":"10.0.0.1","dev":"wg0","weight":1,"flags":[]}]},
        {"type":"local","dst":"127.0.0.1","dev":"lo","table":"local","flags":[]}]"#;

    #[test]
    fn what_leads_out_is_found() {
        let outside = Outside::parse(ROUTES).unwrap();
        assert_eq!(outside.uplinks, ["eth0", "wg0"]);
        assert_eq!(outside.gateways, [Ipv4Addr::new(192, 0, 2, 1), Ipv4Addr::new(10, 0, 0, 1)]);
    }

    #[test]
    fn what_is_somebodys_is_left_alone() {
        let outside = Outside::parse(ROUTES).unwrap();
        assert_eq!(outside.free(0, &[]).unwrap(), Ipv4Addr::new(198, 18, 0, 0));
        assert_eq!(outside.free(1, &[]).unwrap(), Ipv4Addr::new(198, 18, 32, 0), "the one before has a route");
        let avoided = [Ipv4Addr::new(198, 18, 15, 255), Ipv4Addr::new(198, 18, 32, 7)];
        assert_eq!(outside.free(0, &avoided).unwrap(), Ipv4Addr::new(198, 18, 48, 0));
        let vpn = Outside::parse(r#"[{"dst":"198.16.0.0/12","dev":"tun0"}]"#).unwrap();
        assert_eq!(vpn.free(1, &[]).unwrap(), Ipv4Addr::new(100, 64, 16, 0));
        let both = Outside::parse(r#"[{"dst":"198.18.0.0/15"},{"dst":"100.0.0.0/8"}]"#).unwrap();
        assert!(both.free(7, &[]).is_err());
    }
}
