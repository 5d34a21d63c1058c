//! A private network, and ports on it that can be reached from outside.

use std::net::IpAddr;

use wattle::author::{Attribute, IntoProperty, Module, Segment, Topology};

use crate::neutron::{FloatingIp, Net, Port, Router, RouterInterface, SecurityGroup, Subnet};
use crate::references::NetworkRef;
use crate::values::Cidr;

/// A network of the stack's own, with a subnet and a router that leads outside.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova;
/// use wattle_catalog::parts::network::PrivateNetwork;
///
/// fn inside(t: &mut Topology, public: Parameter<String>) {
///     let network = t.add("inside", PrivateNetwork { cidr: "10.0.0.0/24", external: public });
///     let server = nova::Server::new().image("debian-12").flavor("m1.small").network(network.net);
///     let address = t.add("db", server).address(network.net);
///     # let _ = address;
/// }
/// ```
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct PrivateNetwork<C, E> {
    /// Its addresses: a [`Cidr`], or text such as `10.0.0.0/24`, also of a parameter.
    pub cidr: C,
    /// The network that leads outside: a `Net`, or the name or id of an existing one.
    pub external: E,
}

/// A private network that was added.
#[derive(Clone, Copy)]
pub struct PrivateNet {
    /// The network: what a server's `network` takes.
    pub net: Net,
    /// Its addresses.
    pub subnet: Subnet,
    /// Its way outside.
    pub router: Router,
}

impl<C: IntoProperty<Cidr>, E: IntoProperty<NetworkRef>> Module for PrivateNetwork<C, E> {
    type Outputs = PrivateNet;

    fn build(self, t: &mut Topology) -> PrivateNet {
        let Self { cidr, external } = self;
        let net = t.add("net", Net::new());
        let subnet = t.add("subnet", Subnet::new(net).cidr(cidr));
        let router = t.add("router", Router::new().external_network(external));
        t.add("uplink", RouterInterface::new(router).subnet(subnet));
        PrivateNet { net, subnet, router }
    }
}

/// A port on a private network, with a floating IP address that leads to it: for a server that must be reachable from
/// outside.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::neutron::{Rule, SecurityGroup};
/// use wattle_catalog::nova;
/// use wattle_catalog::parts::network::{PrivateNetwork, PublicPort};
///
/// fn web(t: &mut Topology, public: Parameter<String>) -> Exports {
///     let network = t.add("inside", PrivateNetwork { cidr: "10.0.0.0/24", external: public });
///     let access = t.add("web-access", SecurityGroup::new().rule(Rule::tcp(80)));
///     let front = t.add("front", PublicPort { network, access: vec![access] });
///     t.add("web", nova::Server::new().image("debian-12").flavor("m1.small").port(front.port));
///     Exports::new().entry("address", front.floating)
/// }
/// ```
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct PublicPort {
    /// The private network.
    pub network: PrivateNet,
    /// What may reach it. Without one, the project's default group applies.
    pub access: Vec<SecurityGroup>,
}

/// A port that was added, with its addresses.
#[derive(Clone, Copy)]
pub struct ReachablePort {
    /// What a server's `port` takes.
    pub port: Port,
    /// Its address on the private network, on which software listens.
    pub address: Attribute<IpAddr>,
    /// Its address outside.
    pub floating: Attribute<IpAddr>,
}

impl Module for PublicPort {
    type Outputs = ReachablePort;

    fn build(self, t: &mut Topology) -> ReachablePort {
        let Self { network, access } = self;
        let port = Port::new(network.net).subnet(network.subnet);
        let port = t.add("port", access.into_iter().fold(port, |port, group| port.security_group(group)));
        // Of the router, so that the address comes after the way to it.
        let gateway: Attribute<()> = network.router.attribute("external_gateway_info");
        let external: Attribute<String> = gateway.at(&[Segment::Key("network_id")]);
        let floating = t.add("address", FloatingIp::new(external).port(port));
        ReachablePort { port, address: port.address(), floating: floating.address() }
    }
}
