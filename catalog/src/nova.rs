//! Nova: servers and groups of them.

use std::net::IpAddr;

use wattle::author::{Attribute, Host, IntoProperty, Properties, Resource, Segment};
use wattle::model::Order;

use crate::neutron::{Net, Port, SecurityGroup};
use crate::resource::{map, resource, setters};

resource! {
    /// A server: a resource that runs components.
    Server, ServerProperties, "OS::Nova::Server", "nova_server.json"
}

impl Server {
    /// Starts a server; it needs at least a flavor, and an image or a volume to boot from.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    pub fn new() -> ServerProperties {
        Self::properties()
    }

    /// The server's first address on `network`.
    pub fn address(self, network: Net) -> Attribute<IpAddr> {
        let all: Attribute<()> = self.resource().attribute("networks");
        all.at(&[Segment::Resource(network.resource()), Segment::Index(0)])
    }

    /// The server's name, as Nova knows it.
    pub fn name(self) -> Attribute<String> {
        self.resource().attribute("name")
    }
}

impl Host for Server {
    fn resource(self) -> Resource {
        Server::resource(self)
    }
}

setters!(ServerProperties {
    /// Name of the server in Nova; Heat makes one from the stack's and the resource's names otherwise.
    name: String,
    /// Name or id of the image to boot from.
    image: String,
    /// Name or id of the flavor: processors, memory, disk.
    flavor: String,
    /// Name of the key pair that may log in.
    key_name: String,
    /// Availability zone to place the server in.
    availability_zone: String,
    /// Whether the server gets its configuration on a drive instead of over the network.
    config_drive: bool,
});

impl ServerProperties {
    /// Connects the server to a network, with a port that Nova makes.
    #[track_caller]
    pub fn network(mut self, network: impl IntoProperty<Net>) -> Self {
        self.0.push("networks", map! { "network": network.into_property() });
        self
    }

    /// Connects the server to a port.
    #[track_caller]
    pub fn port(mut self, port: impl IntoProperty<Port>) -> Self {
        self.0.push("networks", map! { "port": port.into_property() });
        self
    }

    /// Puts the ports that Nova makes into a security group. Ports of their own carry theirs.
    #[track_caller]
    pub fn security_group(mut self, group: impl IntoProperty<SecurityGroup>) -> Self {
        self.0.push("security_groups", group.into_property());
        self
    }

    /// Places the server by the policies of a group.
    #[track_caller]
    pub fn group(mut self, group: impl IntoProperty<ServerGroup>) -> Self {
        self.0.set("scheduler_hints", map! { "group": group.into_property() });
        self
    }

    /// What orders the server's components; the order of declaration unless this says otherwise.
    pub fn order(mut self, order: Order) -> Self {
        Properties::order(&mut self.0, order);
        self
    }
}

resource! {
    /// A group of servers that are placed with regard to each other.
    ServerGroup, ServerGroupProperties, "OS::Nova::ServerGroup", "nova_servergroup.json"
}

impl ServerGroup {
    /// Starts a group without policies.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    pub fn new() -> ServerGroupProperties {
        Self::properties()
    }
}

setters!(ServerGroupProperties {
    /// Name of the group.
    name: String,
});

impl ServerGroupProperties {
    /// Adds a policy: `affinity`, `anti-affinity`, `soft-affinity` or `soft-anti-affinity`.
    #[track_caller]
    pub fn policy(mut self, policy: impl IntoProperty<String>) -> Self {
        self.0.push("policies", policy.into_property());
        self
    }
}
