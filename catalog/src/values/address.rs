//! Hardware addresses, and values that are an address or a network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wattle::author::{Attribute, Cidr, Expression, IntoProperty, Parameter};

use super::from;

/// The address of an Ethernet interface.
///
/// A property of this type also takes text, which `check` judges as Heat does, and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

/// An address or a [`Cidr`].
pub enum IpOrCidr {}

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
    Parameter<Cidr>: Cidr,
    Attribute<String>: String,
    Attribute<IpAddr>: IpAddr,
});

#[diagnostic::do_not_recommend]
impl IntoProperty<Mac> for Mac {
    fn into_property(self) -> Expression {
        let bytes: Vec<String> = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(":").into()
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
    fn addresses_look_as_heat_has_them() {
        let cidr = Cidr::new([10, 0, 0, 0], 8).expect("a network");
        assert_eq!(text(IntoProperty::<IpOrCidr>::into_property(cidr)), "10.0.0.0/8");
        assert_eq!(text(Mac([0xfa, 0x16, 0x3e, 0, 0, 1]).into_property()), "fa:16:3e:00:00:01");
    }
}
