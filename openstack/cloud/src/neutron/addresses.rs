//! Addresses of subnets.

use std::net::IpAddr;

/// A range of addresses, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    first: u128,
    bits: u32,
    is_six: bool,
}

impl Block {
    /// Parses a range such as `10.0.0.0/24`.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let prefix: u32 = prefix.parse().ok()?;
        let width = if address.is_ipv6() { 128 } else { 32 };
        let bits = u32::checked_sub(width, prefix)?;
        let mask = if bits == 128 { 0 } else { u128::MAX << bits };
        Some(Self { first: number(address) & mask, bits, is_six: address.is_ipv6() })
    }

    pub(super) fn is_six(self) -> bool {
        self.is_six
    }

    fn last(self) -> u128 {
        if self.bits == 128 { u128::MAX } else { self.first + ((1u128 << self.bits) - 1) }
    }

    /// Whether the two ranges have an address in common.
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.is_six == other.is_six && self.first <= other.last() && other.first <= self.last()
    }

    pub(super) fn has(self, address: IpAddr) -> bool {
        address.is_ipv6() == self.is_six && (self.first..=self.last()).contains(&number(address))
    }

    /// The first usable address, which is the gateway's.
    pub(super) fn gateway(self) -> String {
        text(self.first + 1, self.is_six)
    }

    /// The first and last address of each allocation pool: all addresses but the gateway's.
    pub(super) fn pools(self, gateway: Option<IpAddr>) -> Vec<(String, String)> {
        let first = self.first + 1;
        let last = if self.is_six { self.last() } else { self.last().saturating_sub(1) };
        let parts = match gateway.map(number).filter(|gateway| (first..=last).contains(gateway)) {
            Some(gateway) => vec![(first, gateway - 1), (gateway + 1, last)],
            None => vec![(first, last)],
        };
        let written = |(first, last)| (text(first, self.is_six), text(last, self.is_six));
        parts.into_iter().filter(|(first, last)| first <= last).map(written).collect()
    }
}

/// The first free address of a pool.
pub(super) fn unused(pool: (&str, &str), is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let (first, last): (IpAddr, IpAddr) = (pool.0.parse().ok()?, pool.1.parse().ok()?);
    (number(first)..=number(last)).map(|address| text(address, first.is_ipv6())).find(|address| !is_taken(address))
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

fn text(number: u128, is_six: bool) -> String {
    if is_six {
        std::net::Ipv6Addr::from(number).to_string()
    } else {
        std::net::Ipv4Addr::from(u32::try_from(number).unwrap_or(u32::MAX)).to_string()
    }
}
