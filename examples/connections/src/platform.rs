//! What all servers have in common: their network, their image, and the directory of IBM's installers.

use wattle::prelude::*;
use wattle_catalog::{neutron, nova};

/// Addresses of the internal network.
const CIDR: &str = "10.0.0.0/24";

/// What every server needs to know, passed from module to module.
#[derive(Clone, Copy)]
pub struct Platform {
    /// The network of all servers.
    pub net: neutron::Net,
    /// Its subnet.
    pub subnet: neutron::Subnet,
    /// Its addresses, as `10.0.0.0/24`.
    pub cidr: &'static str,
    /// Lets the servers reach each other.
    pub access: neutron::SecurityGroup,
    /// Image of every server.
    pub image: Parameter<String>,
    /// Directory below which IBM's installers are unpacked.
    pub installers: Parameter<String>,
}

/// One network for all servers, with a route to the outside.
pub struct Network {
    /// The network that leads outside.
    pub public_network: Parameter<String>,
    /// Image of every server.
    pub image: Parameter<String>,
    /// Directory below which IBM's installers are unpacked.
    pub installers: Parameter<String>,
}

impl Module for Network {
    type Outputs = Platform;

    fn build(self, t: &mut Topology) -> Platform {
        let net = t.add("backbone", neutron::Net::new());
        let subnet = t.add("subnet", neutron::Subnet::new(net).cidr(CIDR));
        let router = t.add("router", neutron::Router::new().external_network(self.public_network));
        t.add("uplink", neutron::RouterInterface::new(router).subnet(subnet));
        // A WebSphere cell uses dozens of ports, and chooses some of them while it runs.
        let everything = neutron::SecurityGroup::new().rule(neutron::Rule::tcp_range(1..=65_535).from(CIDR));
        let access = t.add("access", everything);
        Platform { net, subnet, cidr: CIDR, access, image: self.image, installers: self.installers }
    }
}

impl Platform {
    /// A server that the others can reach.
    pub fn server(self, flavor: &str) -> nova::ServerProperties {
        self.detached(flavor).network(self.net).security_group(self.access)
    }

    /// A server without a network: the caller gives it a port.
    pub fn detached(self, flavor: &str) -> nova::ServerProperties {
        nova::Server::new().image(self.image).flavor(flavor)
    }
}
