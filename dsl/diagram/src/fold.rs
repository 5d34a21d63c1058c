//! Nodes that are shown inside others: subnets in the band of their network, and ports in the only server that uses them.
//!
//! Images and the page share these rules, so every drawing of one diagram agrees.

use std::collections::{HashMap, HashSet};

use crate::{Diagram, Edge, Resource, Role, Why};

/// Resources without a box of their own.
pub(crate) struct Folded<'p> {
    /// The network of each subnet.
    pub(crate) subnets: HashMap<&'p str, &'p str>,
    /// The server of each port.
    pub(crate) ports: HashMap<&'p str, &'p str>,
    /// The ports of each server, in the diagram's order.
    pub(crate) ports_of: HashMap<&'p str, Vec<&'p str>>,
    networks: HashSet<&'p str>,
}

/// A network as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "page", derive(serde::Serialize))]
pub(crate) struct Band<'p> {
    /// Its qualified name.
    pub(crate) name: &'p str,
    /// The shortest part of its name that distinguishes it from other networks. Boxes on the network show it.
    pub(crate) short: &'p str,
    /// Further text about it: its subnets, or that it exists already.
    pub(crate) about: String,
}

impl<'p> Folded<'p> {
    pub(crate) fn of(diagram: &'p Diagram) -> Self {
        let resources: HashMap<&str, &Resource> = diagram.resources.iter().map(|one| (&*one.name, one)).collect();
        let mut needs: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut needed: HashMap<&str, Vec<&str>> = HashMap::new();
        for edge in diagram.edges.iter().filter(|edge| edge.why == Why::Infrastructure) {
            needs.entry(&edge.to).or_default().push(&edge.from);
            let by = needed.entry(&edge.from).or_default();
            if !by.contains(&&*edge.to) {
                by.push(&edge.to);
            }
        }
        let networks = diagram.resources.iter().filter(|one| one.role == Role::Network).map(|one| &*one.name).collect();
        let mut folded = Self { subnets: HashMap::new(), ports: HashMap::new(), ports_of: HashMap::new(), networks };
        for resource in &diagram.resources {
            let name = &*resource.name;
            match &*resource.ty {
                "OS::Neutron::Subnet" => {
                    let networks = needs.get(name).into_iter().flatten();
                    let network =
                        networks.filter(|other| resources.get(*other).is_some_and(|one| one.role == Role::Network));
                    if let Some(network) = network.copied().next() {
                        folded.subnets.insert(name, network);
                    }
                }
                "OS::Neutron::Port" => {
                    let by = needed.get(name).map_or(&[][..], Vec::as_slice);
                    if let [only] = by
                        && resources
                            .get(only)
                            .is_some_and(|one| one.role == Role::ServerBox && one.module == resource.module)
                    {
                        folded.ports.insert(name, only);
                        folded.ports_of.entry(only).or_default().push(name);
                    }
                }
                _ => {}
            }
        }
        folded
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.subnets.contains_key(name) || self.ports.contains_key(name)
    }

    /// What is drawn for this resource: the network of a subnet, the server of a port, or the resource itself.
    fn shown<'a>(&self, name: &'a str) -> &'a str
    where
        'p: 'a,
    {
        self.subnets.get(name).or_else(|| self.ports.get(name)).copied().unwrap_or(name)
    }

    /// Whether an order of creation is drawn as a line. None leads to a network, because everything on it has its name.
    pub(crate) fn has_line(&self, edge: &Edge) -> bool {
        let (from, to) = (self.shown(&edge.from), self.shown(&edge.to));
        from != to && !self.networks.contains(from) && !self.networks.contains(to)
    }

    /// The networks, in the diagram's order.
    pub(crate) fn bands(&self, diagram: &'p Diagram) -> Vec<Band<'p>> {
        let networks: Vec<&Resource> = diagram.resources.iter().filter(|one| one.role == Role::Network).collect();
        let band = |network: &&'p Resource| Band {
            name: &network.name,
            short: short(network, &networks),
            about: self.about(diagram, network),
        };
        networks.iter().map(band).collect()
    }

    fn about(&self, diagram: &Diagram, network: &Resource) -> String {
        let subnets = diagram.resources.iter().filter(|one| self.subnets.get(&*one.name) == Some(&&*network.name));
        let mut about: Vec<String> = subnets
            .map(|subnet| {
                let cidr = subnet.properties.get("cidr").map(|cidr| cidr.trim_matches('"')).unwrap_or_default();
                format!("{} {cidr}", local(&subnet.name)).trim_end().to_owned()
            })
            .collect();
        if network.ty.is_empty() {
            about.push(network.doc.to_string());
        }
        about.join(" · ")
    }

    /// A server's description: its flavor and image if they are known, and its ports.
    pub(crate) fn about_server(&self, server: &Resource) -> String {
        let plain = |name: &str| Some(server.properties.get(name)?.trim_matches('"').to_owned());
        let known = [plain("flavor"), plain("image")].into_iter().flatten();
        let ports = self.ports_of.get(&*server.name).into_iter().flatten().map(|port| local(port).to_owned());
        let all: Vec<String> = known.filter(|value| !value.starts_with("parameter ")).chain(ports).collect();
        all.join(" · ")
    }
}

/// The part of a qualified name after the module.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit(['.', '/']).next().unwrap_or(name)
}

/// The shortest suffix of a network's qualified name that no other network's name has.
fn short<'p>(network: &'p Resource, all: &[&Resource]) -> &'p str {
    let name = &*network.name;
    // An existing network keeps the name that its cloud, or a parameter, gives it.
    if network.ty.is_empty() {
        return name;
    }
    let is_end_of =
        |end: &str, name: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let mut ends = name.rmatch_indices('.').map(|(dot, _)| &name[dot + 1..]);
    let is_own = |end: &&str| all.iter().all(|other| *other.name == *name || !is_end_of(end, &other.name));
    ends.find(is_own).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_called_by_as_much_as_tells_them_apart() {
        let mut diagram = Diagram::new("shop");
        for name in ["inside.net", "back.net", "site.backbone", "old"] {
            diagram.resources.push(Resource::new(name, "OS::Neutron::Net", Role::Network));
        }
        diagram.resources.push(Resource::new("ex.net", "", Role::Network));
        let bands = Folded::of(&diagram).bands(&diagram);
        let short: Vec<&str> = bands.iter().map(|band| band.short).collect();
        assert_eq!(short, ["inside.net", "back.net", "backbone", "old", "ex.net"]);
    }

    #[test]
    fn no_line_leads_to_a_network_or_what_is_part_of_it() {
        let mut diagram = Diagram::new("shop");
        for (name, ty, role) in [
            ("net", "OS::Neutron::Net", Role::Network),
            ("subnet", "OS::Neutron::Subnet", Role::Other),
            ("port", "OS::Neutron::Port", Role::Other),
            ("web", "OS::Nova::Server", Role::ServerBox),
            ("volume", "OS::Cinder::Volume", Role::Other),
        ] {
            diagram.resources.push(Resource::new(name, ty, role));
        }
        let edges = [("net", "subnet"), ("net", "port"), ("subnet", "port"), ("port", "web"), ("volume", "web")];
        diagram.edges = edges.map(|(from, to)| Edge::new(from.into(), to.into(), Why::Infrastructure)).into();
        let folded = Folded::of(&diagram);
        let drawn: Vec<&str> =
            diagram.edges.iter().filter(|edge| folded.has_line(edge)).map(|edge| &*edge.from).collect();
        assert_eq!(drawn, ["volume"]);
    }
}
