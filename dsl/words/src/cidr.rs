//! Networks in CIDR notation.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use crate::{Malformed, Scalar};

/// Addresses with a common prefix: `10.0.0.0/24`.
///
/// Text is read as Heat reads it for the constraint `net_cidr` (`neutron_lib.api.validators.validate_subnet`): bits
/// after the prefix may be set, IPv4 has only one notation, and IPv6 may have any, also with a mask in place of the
/// prefix length. It is written with the address in its shortest form and the length of the prefix.
///
/// ```
/// use std::net::Ipv4Addr;
/// use wattle_words::types::Cidr;
///
/// let inside = Cidr::new([10, 0, 0, 0], 24).ok_or("a prefix that is too long")?;
/// assert_eq!(inside.to_string(), "10.0.0.0/24");
/// assert_eq!("2001:DB8:0::/32".parse::<Cidr>()?.to_string(), "2001:db8::/32");
/// assert!("10.0.0.0".parse::<Cidr>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

impl Cidr {
    /// The addresses that share the first `prefix` bits of `address`; `None` if it has fewer.
    pub fn new(address: impl Into<IpAddr>, prefix: u8) -> Option<Self> {
        let address = address.into();
        let width = if address.is_ipv4() { 32 } else { 128 };
        (prefix <= width).then_some(Self { address, prefix })
    }

    /// The address, with the bits after the prefix as they were given.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// How many bits are common.
    pub fn prefix(&self) -> u8 {
        self.prefix
    }
}

impl FromStr for Cidr {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        read(text).ok_or_else(|| Malformed::new(Scalar::Network, text))
    }
}

fn read(text: &str) -> Option<Cidr> {
    let (address, prefix) = text.split_once('/')?;
    if let Ok(address) = address.parse::<Ipv4Addr>() {
        let bits: u8 = prefix.parse().ok()?;
        return if bits.to_string() == prefix { Cidr::new(address, bits) } else { None };
    }
    let address: Ipv6Addr = address.parse().ok()?;
    match integer(prefix) {
        Some(bits) => Cidr::new(address, u8::try_from(bits).ok()?),
        None => Cidr::new(address, of_mask(prefix.parse().ok()?)?),
    }
}

/// What Python's `int` returns for text without blanks: `_` may be between digits. `None` for what is larger than any
/// prefix.
fn integer(text: &str) -> Option<i16> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits.split('_').all(is_digits) { text.replace('_', "").parse().ok() } else { None }
}

/// The prefix length of a mask, or of an inverted mask.
fn of_mask(mask: Ipv6Addr) -> Option<u8> {
    let bits = mask.to_bits();
    let prefix = match (bits.leading_ones(), bits.leading_zeros()) {
        (ones, _) if ones + bits.trailing_zeros() >= 128 => ones,
        (_, zeros) if zeros + bits.trailing_ones() >= 128 => zeros,
        _ => return None,
    };
    u8::try_from(prefix).ok()
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_prefix_is_longer_than_its_address() {
        for (address, longest) in [(IpAddr::V4(Ipv4Addr::LOCALHOST), 32), (IpAddr::V6(Ipv6Addr::LOCALHOST), 128)] {
            assert!(Cidr::new(address, longest).is_some());
            assert!(Cidr::new(address, longest + 1).is_none());
        }
    }

    /// `tests/tests/catalog/constraints.rs` holds `net_cidr` against Neutron's own function.
    #[test]
    fn text_is_read_as_neutron_reads_it() {
        for (text, written) in [
            ("10.0.0.0/24", "10.0.0.0/24"),
            ("10.0.0.7/24", "10.0.0.7/24"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:DB8:0:0::/32", "2001:db8::/32"),
            ("::/+6_4", "::/64"),
            ("::/064", "::/64"),
            ("::/-0", "::/0"),
            ("fd00::/ffff:ffff::", "fd00::/32"),
            ("fd00::/::ffff", "fd00::/112"),
            ("fd00::/::", "fd00::/0"),
        ] {
            assert_eq!(text.parse::<Cidr>().map(|network| network.to_string()).as_deref(), Ok(written), "{text}");
        }
        for wrong in [
            "",
            "/",
            "10.0.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/024",
            "10.0.0.0/+24",
            "10.0.0.0/2_4",
            "10.0/24",
            "010.0.0.0/24",
            "10.0.0.0/255.255.255.0",
            " 10.0.0.0/24",
            "10.0.0.0/24\n",
            "10.0.0.0/8/8",
            "::/129",
            "::/-1",
            "::/_1",
            "::/1__1",
            "::/f0f0::",
            "::/x",
            "fe80::1%eth0/64",
            "::/ 64",
        ] {
            let error = wrong.parse::<Cidr>().expect_err(wrong);
            assert_eq!(error.to_string(), format!("`{wrong}` is not a network in CIDR notation"));
        }
    }
}
