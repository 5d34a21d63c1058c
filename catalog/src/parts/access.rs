//! Who may reach the ports on which software listens.

use std::net::IpAddr;

use wattle::author::{AsComponent, Attribute, Component, Expression, Host, Listening, Module, Segment, Topology};
use wattle::model::{Name, Protocol};
use wattle::text;

use crate::neutron::{Net, SecurityGroup, SecurityGroupRule, SecurityGroupRuleProperties, SecurityGroupRuleProtocol};
use crate::nova::Server;

/// Rules of a security group that let others reach what components listen on.
///
/// The ports are those that the components declare by `#[input(listen)]` and `#[component(listen = "tcp/5432")]`, and
/// nothing else is let in. Rules are made when the blueprint has ended, for all components that are on the server by
/// then. The group must be empty at first, and must be one of the server's port.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::neutron::SecurityGroup;
/// use wattle_catalog::nova;
/// use wattle_catalog::parts::access::{LetIn, Peers};
/// use wattle_catalog::parts::network::PrivateNet;
/// use wattle_catalog::parts::redis::Redis;
///
/// fn cache(t: &mut Topology, network: PrivateNet, password: Parameter<Secret<String>>) -> Output<Url> {
///     let access = t.add("cache-access", SecurityGroup::new());
///     let server = nova::Server::new().image("debian-12").flavor("m1.small");
///     let server = t.add("cache", server.network(network.net).security_group(access));
///     t.add("cache-rules", LetIn { to: server, group: access, from: Peers::Readers(network.net) });
///     let redis = Redis::new().address(server.address(network.net)).password(password);
///     t.on(server).run("redis", redis).url // whoever reads it may reach the port
/// }
/// ```
///
/// A port that comes from an output is an error of `check`, because rules are created before any server runs.
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct LetIn<L> {
    /// The target: a server with all of its components, or one component by its handle.
    pub to: L,
    /// The group of the target's servers, which gets the rules.
    pub group: SecurityGroup,
    /// Who may reach it.
    pub from: Peers,
}

/// Who may reach something.
#[derive(Clone)]
pub enum Peers {
    /// Everyone, over IPv4.
    Anyone,
    /// Everyone with an address in this network: `10.0.0.0/24`, `2001:db8::/32`.
    Cidr(String),
    /// Everyone whose port is in this group, over IPv4.
    Group(SecurityGroup),
    /// The servers whose components read what the component writes, by their IPv4 addresses on this network of the
    /// topology. Servers that are not on it are not admitted. Those that only come `after` it read nothing.
    Readers(Net),
}

/// What [`LetIn`] lets others reach: a [`Server`], or the handle of a component.
#[diagnostic::on_unimplemented(
    message = "`LetIn` cannot give access to `{Self}`",
    label = "neither a server nor a component",
    note = "give access to a `nova::Server`, or to what `t.on(server).run(name, component)` returns"
)]
pub trait Listens: Copy + 'static {
    /// Its components, with their names on their server.
    fn components(self, t: &Topology) -> Vec<(Name, Component)>;
}

impl Listens for Server {
    fn components(self, t: &Topology) -> Vec<(Name, Component)> {
        t.components_on(self)
    }
}

#[diagnostic::do_not_recommend]
impl<C: AsComponent + 'static> Listens for C {
    fn components(self, t: &Topology) -> Vec<(Name, Component)> {
        let component = self.component();
        t.name_on_server(component).into_iter().map(|name| (name, component)).collect()
    }
}

impl<L: Listens> Module for LetIn<L> {
    type Outputs = ();

    fn build(self, t: &mut Topology) {
        let Self { to, group, from } = self;
        t.at_end(move |t| {
            for (name, component) in to.components(t) {
                let peers = peers(t, component, &from);
                for (number, listening) in (1..).zip(t.listening(component)) {
                    for (peer, properties) in &peers {
                        let mut rule = rule(group, &listening);
                        properties.iter().for_each(|(property, value)| rule.0.set(*property, value.clone()));
                        t.add(format!("{name}-{number}{peer}"), rule);
                    }
                }
            }
        });
    }
}

/// How a rule names the peers of a component, each with what distinguishes it in the rule's name.
fn peers(t: &Topology, component: Component, from: &Peers) -> Vec<(String, Vec<(&'static str, Expression)>)> {
    let one = |properties| vec![(String::new(), properties)];
    match from {
        Peers::Anyone => one(vec![("remote_ip_prefix", "0.0.0.0/0".into())]),
        Peers::Cidr(cidr) if cidr.contains(':') => {
            one(vec![("ethertype", "IPv6".into()), ("remote_ip_prefix", cidr.as_str().into())])
        }
        Peers::Cidr(cidr) => one(vec![("remote_ip_prefix", cidr.as_str().into())]),
        Peers::Group(group) => one(vec![("remote_group", group.resource().into())]),
        Peers::Readers(net) => {
            let readers = t.readers(component).into_iter().filter(|(_, server)| t.is_on(*server, net.resource()));
            let rule = |(name, server): (Name, _)| {
                let all: Attribute<()> = Host::resource(server).attribute("networks");
                let address: Attribute<IpAddr> = all.at(&[Segment::Resource(net.resource()), Segment::Index(0)]);
                // Heat takes a network here, and refuses a bare address.
                (format!("-{}", name.replace('.', "-")), vec![("remote_ip_prefix", text!("{address}/32").into())])
            };
            readers.map(rule).collect()
        }
    }
}

fn rule(group: SecurityGroup, listening: &Listening) -> SecurityGroupRuleProperties {
    let protocol = match listening.protocol {
        Protocol::Udp => SecurityGroupRuleProtocol::Udp,
        Protocol::Tcp => SecurityGroupRuleProtocol::Tcp,
    };
    let mut rule = SecurityGroupRule::new(group).protocol(protocol);
    // Whatever an input takes; that Heat knows it is for `check` to say.
    rule.0.set("port_range_min", listening.first.clone());
    rule.0.set("port_range_max", listening.last.clone());
    rule
}
