//! Neutron: networks, addresses, and who may talk to whom.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use wattle::author::{Attribute, IntoProperty, Segment as Step};

pub use crate::generated::neutron::*;
use crate::generated::references::{NetworkRef, SecurityGroupRef, SubnetRef};
use crate::map;
use crate::values::{Cidr, IpAddress};

impl RouterProperties {
    /// The network that leads outside.
    #[track_caller]
    pub fn external_network(mut self, network: impl IntoProperty<NetworkRef>) -> Self {
        self.0.set("external_gateway_info", map! { "network": network.into_property() });
        self
    }
}

impl Port {
    /// The port's first address.
    pub fn address(self) -> Attribute<IpAddr> {
        self.fixed_ips().at(&[Step::Index(0), Step::Key("ip_address")])
    }
}

impl PortProperties {
    /// Takes an address of `subnet`.
    #[track_caller]
    pub fn subnet(mut self, subnet: impl IntoProperty<SubnetRef>) -> Self {
        self.0.push("fixed_ips", map! { "subnet": subnet.into_property() });
        self
    }

    /// Takes exactly this address.
    #[track_caller]
    pub fn fixed_ip(mut self, address: impl IntoProperty<IpAddress>) -> Self {
        self.0.push("fixed_ips", map! { "ip_address": address.into_property() });
        self
    }

    /// Puts the port into a security group.
    #[track_caller]
    pub fn security_group(mut self, group: impl IntoProperty<SecurityGroupRef>) -> Self {
        self.0.push("security_groups", group.into_property());
        self
    }
}

impl SecurityGroupProperties {
    /// Admits the traffic that `rule` describes.
    #[track_caller]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.0.push("rules", rule.into_property());
        self
    }
}

impl Rule {
    fn ports(self, ports: &RangeInclusive<u16>) -> Self {
        self.port_range_min(*ports.start()).port_range_max(*ports.end())
    }

    /// TCP to one port.
    pub fn tcp(port: u16) -> Self {
        Self::tcp_range(port..=port)
    }

    /// TCP to any of `ports`.
    pub fn tcp_range(ports: RangeInclusive<u16>) -> Self {
        Self::new().protocol(RuleProtocol::Tcp).ports(&ports)
    }

    /// UDP to one port.
    pub fn udp(port: u16) -> Self {
        Self::udp_range(port..=port)
    }

    /// UDP to any of `ports`.
    pub fn udp_range(ports: RangeInclusive<u16>) -> Self {
        Self::new().protocol(RuleProtocol::Udp).ports(&ports)
    }

    /// ICMP: `ping`.
    pub fn icmp() -> Self {
        Self::new().protocol(RuleProtocol::Icmp)
    }

    /// Only from these addresses: `10.0.0.0/8`.
    pub fn from(self, cidr: impl IntoProperty<Cidr>) -> Self {
        self.remote_ip_prefix(cidr)
    }

    /// Only from ports of `group`.
    pub fn from_group(self, group: impl IntoProperty<SecurityGroupRef>) -> Self {
        self.remote_mode(RuleRemoteMode::RemoteGroupId).remote_group_id(group)
    }
}

impl FloatingIp {
    /// The address itself.
    pub fn address(self) -> Attribute<IpAddr> {
        self.attribute("floating_ip_address")
    }
}
