//! Which networks a server is on.

use crate::{Expr, IndexMap, Model, Name, Reference, Resource};

/// The networks of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks<'m> {
    /// The networks of the model, without duplicates. The server may also be on existing networks, which are not listed.
    pub known: Vec<&'m Name>,
    /// Whether it may be on further networks of the model, because some are computed, or belong to a resource whose networks
    /// are not known here.
    pub is_open: bool,
}

/// What a value says about a network.
enum Said<'m> {
    Known(&'m Name),
    /// An existing network.
    Existing,
    Open,
}

/// Looks up a value in a map of properties by its possible names, those in use first.
type Given<'m, 'g> = &'g dyn Fn(&[&str]) -> Option<&'m Expr>;

impl Model {
    /// The networks of the model that a server is on, found as Heat finds them: by the name of a network, by a port on it,
    /// or by a subnet.
    pub fn networks_of<'m>(&'m self, server: &'m Resource) -> Networks<'m> {
        let mut networks = Networks::default();
        let items = match server.properties.get("networks").map(|binding| &binding.value) {
            Some(Expr::List(items)) => items,
            // Without `networks`, Nova uses the networks that the project has.
            None | Some(Expr::Constant(_)) => return networks,
            Some(_) => return Networks { is_open: true, ..networks },
        };
        for item in items {
            let said = match item {
                Expr::Map(item) => self.connected(item),
                Expr::Constant(_) => Said::Existing,
                _ => Said::Open,
            };
            match said {
                Said::Known(network) if !networks.known.contains(&network) => networks.known.push(network),
                Said::Known(_) | Said::Existing => {}
                Said::Open => networks.is_open = true,
            }
        }
        networks
    }

    fn connected<'m>(&'m self, item: &'m IndexMap<Name, Expr>) -> Said<'m> {
        let given = |names: &[&str]| names.iter().find_map(|name| item.get(*name));
        if let Some(port) = given(&["port"]) {
            return match self.resource_of(port) {
                Ok(Some(port)) if &*port.ty == "OS::Neutron::Port" => self.of_properties(&of(port)),
                // An existing port is on an existing network.
                Ok(None) => Said::Existing,
                Ok(Some(_)) | Err(()) => Said::Open,
            };
        }
        self.of_properties(&given)
    }

    /// Evaluates properties that name a network or one of its subnets.
    fn of_properties<'m>(&'m self, given: Given<'m, '_>) -> Said<'m> {
        if let Some(network) = given(&["network", "network_id", "uuid"]) {
            return match network {
                Expr::Leaf(Reference::Resource(name)) => Said::Known(name),
                network => existing(network),
            };
        }
        match given(&["subnet", "subnet_id"]).map(|subnet| self.resource_of(subnet)) {
            Some(Ok(Some(subnet))) if &*subnet.ty == "OS::Neutron::Subnet" => {
                match of(subnet)(&["network", "network_id"]) {
                    Some(Expr::Leaf(Reference::Resource(name))) => Said::Known(name),
                    Some(network) => existing(network),
                    None => Said::Open,
                }
            }
            Some(Ok(None)) | None => Said::Existing,
            Some(Ok(Some(_)) | Err(())) => Said::Open,
        }
    }

    /// The resource of the model that a value refers to, or `None` if the value names something that exists already.
    fn resource_of<'m>(&'m self, value: &'m Expr) -> Result<Option<&'m Resource>, ()> {
        match value {
            Expr::Leaf(Reference::Resource(name)) => self.resources.get(name).map(Some).ok_or(()),
            Expr::Constant(_) | Expr::Leaf(Reference::Parameter(_)) => Ok(None),
            _ => Err(()),
        }
    }
}

fn of<'m>(resource: &'m Resource) -> impl Fn(&[&str]) -> Option<&'m Expr> {
    |names| names.iter().find_map(|name| resource.properties.get(*name)).map(|binding| &binding.value)
}

/// A network that is not in the model, given directly.
fn existing(value: &Expr) -> Said<'_> {
    match value {
        // A network of the model is never referred to by its name.
        Expr::Constant(_) | Expr::Leaf(Reference::Parameter(_)) => Said::Existing,
        _ => Said::Open,
    }
}
