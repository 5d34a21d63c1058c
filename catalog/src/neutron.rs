//! Neutron: networks, addresses, and who may talk to whom.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use wattle::author::{Attribute, Expression, IntoProperty, Segment};

use crate::resource::{map, resource, setters};

resource! {
    /// A network.
    Net, NetProperties, "OS::Neutron::Net", "neutron_net.json"
}

impl Net {
    /// Starts a network.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    pub fn new() -> NetProperties {
        Self::properties()
    }
}

setters!(NetProperties {
    /// Name of the network.
    name: String,
    /// Whether other projects may use it.
    shared: bool,
    /// Whether it is up.
    admin_state_up: bool,
});

resource! {
    /// A subnet: addresses on a network.
    Subnet, SubnetProperties, "OS::Neutron::Subnet", "neutron_subnet.json"
}

impl Subnet {
    /// Starts a subnet of `network`.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(network: impl IntoProperty<Net>) -> SubnetProperties {
        Self::properties().set("network", network)
    }
}

setters!(SubnetProperties {
    /// Name of the subnet.
    name: String,
    /// Its addresses: `10.0.0.0/24`.
    cidr: String,
    /// Address of its gateway; the first of the subnet unless given.
    gateway_ip: String,
    /// Name servers that its hosts are told.
    dns_nameservers: Vec<String>,
    /// Whether its hosts get their addresses by DHCP.
    enable_dhcp: bool,
});

resource! {
    /// A router.
    Router, RouterProperties, "OS::Neutron::Router", "neutron_router.json"
}

impl Router {
    /// Starts a router.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    pub fn new() -> RouterProperties {
        Self::properties()
    }
}

setters!(RouterProperties {
    /// Name of the router.
    name: String,
});

impl RouterProperties {
    /// The network that leads outside.
    #[track_caller]
    pub fn external_network(mut self, network: impl IntoProperty<Net>) -> Self {
        self.0.set("external_gateway_info", map! { "network": network.into_property() });
        self
    }
}

resource! {
    /// A router's foot in a subnet.
    RouterInterface, RouterInterfaceProperties, "OS::Neutron::RouterInterface", "neutron_routerinterface.json"
}

impl RouterInterface {
    /// Starts an interface of `router`; it needs a subnet or a port.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(router: impl IntoProperty<Router>) -> RouterInterfaceProperties {
        Self::properties().set("router", router)
    }
}

setters!(RouterInterfaceProperties {
    /// The subnet to connect.
    subnet: Subnet,
    /// The port to connect.
    port: Port,
});

resource! {
    /// A port: one address of one server on a network.
    Port, PortProperties, "OS::Neutron::Port", "neutron_port.json"
}

impl Port {
    /// Starts a port on `network`.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(network: impl IntoProperty<Net>) -> PortProperties {
        Self::properties().set("network", network)
    }

    /// The port's first address.
    pub fn address(self) -> Attribute<IpAddr> {
        let all: Attribute<()> = self.resource().attribute("fixed_ips");
        all.at(&[Segment::Index(0), Segment::Key("ip_address")])
    }
}

setters!(PortProperties {
    /// Name of the port.
    name: String,
});

impl PortProperties {
    /// Takes an address of `subnet`.
    #[track_caller]
    pub fn subnet(mut self, subnet: impl IntoProperty<Subnet>) -> Self {
        self.0.push("fixed_ips", map! { "subnet": subnet.into_property() });
        self
    }

    /// Takes this very address.
    #[track_caller]
    pub fn fixed_ip(mut self, address: impl IntoProperty<IpAddr>) -> Self {
        self.0.push("fixed_ips", map! { "ip_address": address.into_property() });
        self
    }

    /// Puts the port into a security group.
    #[track_caller]
    pub fn security_group(mut self, group: impl IntoProperty<SecurityGroup>) -> Self {
        self.0.push("security_groups", group.into_property());
        self
    }
}

resource! {
    /// A security group: what may reach its ports.
    SecurityGroup, SecurityGroupProperties, "OS::Neutron::SecurityGroup", "neutron_securitygroup.json"
}

impl SecurityGroup {
    /// Starts a group whose ports nothing may reach, and which may reach everything.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    pub fn new() -> SecurityGroupProperties {
        Self::properties()
    }
}

setters!(SecurityGroupProperties {
    /// Name of the group.
    name: String,
    /// What it is for.
    description: String,
});

impl SecurityGroupProperties {
    /// Lets in what `rule` says.
    #[track_caller]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.0.push("rules", Expression::Map(rule.fields));
        self
    }
}

/// What a security group lets in.
#[derive(Clone)]
pub struct Rule {
    fields: Vec<(wattle::model::Name, Expression)>,
}

impl Rule {
    fn new(protocol: &str) -> Self {
        Self { fields: vec![("protocol".into(), protocol.into())] }
    }

    fn ports(mut self, ports: &RangeInclusive<u16>) -> Self {
        self.fields.push(("port_range_min".into(), (*ports.start()).into()));
        self.fields.push(("port_range_max".into(), (*ports.end()).into()));
        self
    }

    /// TCP to one port.
    pub fn tcp(port: u16) -> Self {
        Self::new("tcp").ports(&(port..=port))
    }

    /// TCP to any of `ports`.
    pub fn tcp_range(ports: RangeInclusive<u16>) -> Self {
        Self::new("tcp").ports(&ports)
    }

    /// UDP to one port.
    pub fn udp(port: u16) -> Self {
        Self::new("udp").ports(&(port..=port))
    }

    /// UDP to any of `ports`.
    pub fn udp_range(ports: RangeInclusive<u16>) -> Self {
        Self::new("udp").ports(&ports)
    }

    /// ICMP: `ping`.
    pub fn icmp() -> Self {
        Self::new("icmp")
    }

    /// Only from these addresses: `10.0.0.0/8`.
    #[must_use]
    pub fn from(mut self, cidr: impl IntoProperty<String>) -> Self {
        self.fields.push(("remote_ip_prefix".into(), cidr.into_property()));
        self
    }

    /// Only from ports of `group`.
    #[must_use]
    pub fn from_group(mut self, group: impl IntoProperty<SecurityGroup>) -> Self {
        self.fields.push(("remote_mode".into(), "remote_group_id".into()));
        self.fields.push(("remote_group_id".into(), group.into_property()));
        self
    }
}

resource! {
    /// A floating address: one that is reachable from outside.
    FloatingIp, FloatingIpProperties, "OS::Neutron::FloatingIP", "neutron_floatingip.json"
}

impl FloatingIp {
    /// Starts an address of the external network `network`.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(network: impl IntoProperty<Net>) -> FloatingIpProperties {
        Self::properties().set("floating_network", network)
    }

    /// The address itself.
    pub fn address(self) -> Attribute<IpAddr> {
        self.resource().attribute("floating_ip_address")
    }
}

impl FloatingIpProperties {
    /// Leads the address to a port.
    #[track_caller]
    pub fn port(self, port: impl IntoProperty<Port>) -> Self {
        self.set("port_id", port)
    }
}
