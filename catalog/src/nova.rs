//! Nova: servers and groups of them.

use wattle::author::{Complete, Host, IntoProperty, Properties, Resource};
use wattle::model::Order;

pub use crate::generated::nova::*;
use crate::generated::references::{NetworkRef, PortRef, SecurityGroupRef, ServerGroupRef};
use crate::map;

/// The state of a server whose flavor is set.
pub enum WithFlavor {}

/// The state of a server whose flavor is not set yet.
pub enum WithoutFlavor {}

/// Whether a server can be added: Nova creates no server without a flavor.
#[diagnostic::on_unimplemented(
    message = "this server has no flavor",
    label = "`.flavor(...)` is missing",
    note = "Nova does not create a server without a flavor: `nova::Server::new().image(...).flavor(\"m1.small\")`"
)]
pub trait HasFlavor {}

impl HasFlavor for WithFlavor {}

/// Whether a server's properties set its flavor.
pub struct ServerState<F>(std::marker::PhantomData<fn() -> F>);

impl<F: HasFlavor> Complete for ServerState<F> {}

impl Server {
    /// The server's first address on `network`, a network that the blueprint itself adds.
    ///
    /// On an existing network, give the server a port: `let port = t.add("port", neutron::Port::new(p.network))`,
    /// `.port(port)` of the server, and [`port.address()`](crate::neutron::Port::address).
    #[cfg(feature = "neutron")]
    pub fn address(self, network: crate::neutron::Net) -> wattle::author::Attribute<std::net::IpAddr> {
        use wattle::author::Segment;
        self.networks().at(&[Segment::Resource(network.resource()), Segment::Index(0)])
    }
}

#[diagnostic::do_not_recommend]
impl Host for Server {
    fn resource(self) -> Resource {
        Server::resource(self)
    }
}

impl<F> ServerProperties<F> {
    /// Connects the server to a network through a port that Nova creates.
    #[track_caller]
    pub fn network(mut self, network: impl IntoProperty<NetworkRef>) -> Self {
        self.0.push("networks", map! { "network": network.into_property() });
        self
    }

    /// Connects the server to a port.
    #[track_caller]
    pub fn port(mut self, port: impl IntoProperty<PortRef>) -> Self {
        self.0.push("networks", map! { "port": port.into_property() });
        self
    }

    /// Puts the ports that Nova creates into a security group. Other ports have their own groups.
    #[track_caller]
    pub fn security_group(mut self, group: impl IntoProperty<SecurityGroupRef>) -> Self {
        self.0.push("security_groups", group.into_property());
        self
    }

    /// Places the server by the policies of a group.
    #[track_caller]
    pub fn group(mut self, group: impl IntoProperty<ServerGroupRef>) -> Self {
        self.0.set("scheduler_hints", map! { "group": group.into_property() });
        self
    }

    /// Sets how the server's components are ordered. The default is the order of declaration.
    pub fn order(mut self, order: Order) -> Self {
        Properties::order(&mut self.0, order);
        self
    }
}

impl ServerGroupProperties {
    /// Adds a policy: a [`ServerGroupPolicy`], or its name.
    #[track_caller]
    pub fn policy(mut self, policy: impl IntoProperty<ServerGroupPolicy>) -> Self {
        self.0.push("policies", policy.into_property());
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<ServerGroupPolicy> for &str {
    fn into_property(self) -> wattle::author::Expression {
        self.into()
    }
}
