//! Networks and hardware addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wattle::author::{Attribute, Expression, IntoProperty, Parameter, Text};

use super::from;

/// Addresses with a common beginning: `10.0.0.0/24`.
///
/// A property of this type takes it as text too, which `check` judges as Heat does, and from parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

impl Cidr {
    /// The addresses that share the first `prefix` bits of `address`; `None` where it has less.
    pub fn new(address: impl Into<IpAddr>, prefix: u8) -> Option<Self> {
        let address = address.into();
        let width = if address.is_ipv4() { 32 } else { 128 };
        (prefix <= width).then_some(Self { address, prefix })
    }
}

/// The address of an Ethernet interface.
///
/// A property of this type takes it as text too, which `check` judges as Heat does, and from parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

/// An address or a [`Cidr`].
pub enum IpOrCidr {}

from!(Cidr { &str: String, &String: String, String: String, Parameter<String>: String, Attribute<String>: String, });
from!(Mac { &str: String, &String: String, String: String, Parameter<String>: String, Attribute<String>: String, });
from!(IpOrCidr {
    Cidr: Cidr,
    IpAddr: IpAddr,
    Ipv4Addr: Ipv4Addr,
    Ipv6Addr: Ipv6Addr,
    &str: String,
    &String: String,
    String: String,
    Parameter<String>: String,
    Parameter<IpAddr>: IpAddr,
    Attribute<String>: String,
    Attribute<IpAddr>: IpAddr,
});

#[diagnostic::do_not_recommend]
impl IntoProperty<Cidr> for Cidr {
    fn into_property(self) -> Expression {
        format!("{}/{}", self.address, self.prefix).into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<Mac> for Mac {
    fn into_property(self) -> Expression {
        let bytes: Vec<String> = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(":").into()
    }
}

#[diagnostic::do_not_recommend]
impl<S, P> IntoProperty<Cidr> for Text<S, P>
where
    Self: IntoProperty<String>,
{
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use wattle::model::Value;

    use super::*;

    fn text(value: impl Into<Expression>) -> String {
        match value.into() {
            Expression::Constant(Value::Str(text)) => text.to_string(),
            _ => panic!("not a text"),
        }
    }

    #[test]
    fn no_prefix_is_longer_than_its_address() {
        let all = [
            (IpAddr::V4(Ipv4Addr::LOCALHOST), 32, true),
            (IpAddr::V4(Ipv4Addr::LOCALHOST), 33, false),
            (IpAddr::V6(Ipv6Addr::LOCALHOST), 128, true),
            (IpAddr::V6(Ipv6Addr::LOCALHOST), 129, false),
        ];
        for (address, prefix, sound) in all {
            assert_eq!(Cidr::new(address, prefix).is_some(), sound, "{address}/{prefix}");
        }
    }

    #[test]
    fn addresses_look_as_heat_has_them() {
        let cidr = Cidr::new(Ipv4Addr::new(10, 0, 0, 0), 8).expect("a network");
        assert_eq!(text(IntoProperty::<Cidr>::into_property(cidr)), "10.0.0.0/8");
        assert_eq!(text(Mac([0xfa, 0x16, 0x3e, 0, 0, 1]).into_property()), "fa:16:3e:00:00:01");
    }
}
