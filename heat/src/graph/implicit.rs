//! What Heat makes before a resource though the template does not say so: `add_dependencies` of the resource's class.

use std::collections::BTreeSet;

use crate::evaluate::Value;
use crate::properties::{Refused, is_true};
use crate::stack::{Resource, Stack};

const SUBNET: &str = "OS::Neutron::Subnet";
const PORT: &str = "OS::Neutron::Port";
const INTERFACE: &str = "OS::Neutron::RouterInterface";
const GATEWAY: &str = "OS::Neutron::RouterGateway";
const ROUTER: &str = "OS::Neutron::Router";

/// What `resource` needs besides what it `requires` by the template's words.
///
/// What cannot be read makes no dependency: Heat tells what is wrong with it elsewhere.
pub(super) fn implicit<'s>(stack: &'s Stack<'_>, resource: &Resource, requires: &BTreeSet<&'s str>) -> Vec<&'s str> {
    let within = Within { stack, resource };
    let found = match resource.class.name() {
        "OS::Nova::Server" => within.server(),
        PORT => within.port(),
        ROUTER => within.router(),
        GATEWAY => Ok(within.gateway()),
        "OS::Neutron::FloatingIP" => within.floating_ip(requires),
        "OS::Neutron::FloatingIPAssociation" | "OS::Neutron::FloatingIPPortForward" => within.association(requires),
        "OS::Neutron::ExtraRoute" => within.extra_route(),
        "OS::Neutron::ExtraRouteSet" => within.extra_routes(),
        "AWS::EC2::VPCGatewayAttachment" => within.attachment(),
        _ => Ok(Vec::new()),
    };
    found.unwrap_or_default()
}

#[derive(Clone, Copy)]
struct Within<'s, 'l, 'r> {
    stack: &'s Stack<'l>,
    resource: &'r Resource,
}

type Found<'s> = Result<Vec<&'s str>, Refused>;

/// Python's `==`; what is not known is nothing.
fn same(one: &Value, other: &Value) -> bool {
    one.equals(other).unwrap_or_else(|| !is_true(one) && !is_true(other))
}

/// The value under `key` of what should be a map.
fn key<'v>(value: &'v Value, key: &str) -> &'v Value {
    match value {
        Value::Map(items) => items.get(key).unwrap_or(&Value::Null),
        _ => &Value::Null,
    }
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// Python's `or`.
fn or(one: Value, other: impl FnOnce() -> Result<Value, Refused>) -> Result<Value, Refused> {
    if is_true(&one) { Ok(one) } else { other() }
}

impl<'s> Within<'s, '_, '_> {
    fn own(self, key: &str) -> Result<Value, Refused> {
        self.resource.properties().get(key)
    }

    /// The resources of the type, those that stand for it included.
    fn all(self, ty: &'static str) -> impl Iterator<Item = (&'s str, &'s Resource)> {
        let stack = self.stack;
        stack.resources.iter().filter(move |(_, resource)| resource.is(ty)).map(|(name, resource)| (&**name, resource))
    }

    /// Those of the type whose property `key` is `value`.
    fn of(self, ty: &'static str, key: &str, value: &Value) -> Vec<&'s str> {
        let is = |resource: &Resource| resource.properties().get(key).is_ok_and(|other| same(&other, value));
        self.all(ty).filter(|(_, resource)| is(resource)).map(|(name, _)| name).collect()
    }

    /// All subnets of the networks that it is in: it may be in any of them.
    fn server(self) -> Found<'s> {
        let networks = self.own("networks")?;
        if !is_true(&networks) {
            return Ok(Vec::new());
        }
        let may_be_in = |subnet: &Resource| match subnet.properties().get("network") {
            Err(Refused) => false,
            // A network that is not known may be any.
            Ok(network) if !is_true(&network) => true,
            Ok(network) => items(&networks).iter().any(|own| {
                let own = key(own, "network");
                !is_true(own) || same(own, &network)
            }),
        };
        Ok(self.all(SUBNET).filter(|(_, subnet)| may_be_in(subnet)).map(|(name, _)| name).collect())
    }

    /// All subnets of its network.
    fn port(self) -> Found<'s> {
        Ok(self.of(SUBNET, "network", &self.own("network")?))
    }

    /// All subnets of the network outside.
    fn router(self) -> Found<'s> {
        let gateway = self.own("external_gateway_info")?;
        if !is_true(&gateway) {
            return Ok(Vec::new());
        }
        Ok(self.of(SUBNET, "network", key(&gateway, "network")))
    }

    /// The router's interfaces, and all subnets of the network outside.
    fn gateway(self) -> Vec<&'s str> {
        let mut found = self.own("router_id").map(|router| self.of(INTERFACE, "router", &router)).unwrap_or_default();
        found.extend(self.own("network").map(|network| self.of(SUBNET, "network", &network)).unwrap_or_default());
        found
    }

    /// What leads from its network outside to its port.
    fn floating_ip(self, requires: &BTreeSet<&'s str>) -> Found<'s> {
        let outside = self.own("floating_network");
        let mut found = Vec::new();
        for (name, other) in &self.stack.resources {
            let network = |resource: &Resource| {
                let properties = resource.properties();
                or(properties.get("network")?, || properties.get("network_id"))
            };
            let leads = if other.is(GATEWAY) {
                matches!((network(other), &outside), (Ok(network), Ok(outside)) if same(&network, outside))
            } else if other.is(INTERFACE) {
                let subnet = interface_subnet(other)?;
                let ports = requires.iter().chain(&found).filter_map(|name| self.stack.resources.get(*name));
                ports.into_iter().any(|port| is_on(port, &subnet))
            } else if other.is(ROUTER) {
                match (other.properties().get("external_gateway_info"), &outside) {
                    (Ok(gateway), Ok(outside)) => is_true(&gateway) && same(key(&gateway, "network"), outside),
                    _ => false,
                }
            } else {
                false
            };
            if leads {
                found.push(&**name);
            }
        }
        Ok(found)
    }

    /// The interfaces to the subnets of its port.
    fn association(self, requires: &BTreeSet<&'s str>) -> Found<'s> {
        let mut found: Vec<&'s str> = Vec::new();
        for (name, interface) in self.all(INTERFACE) {
            let subnet = interface_subnet(interface)?;
            let mut is_on = false;
            for other in requires.iter().chain(&found).filter_map(|name| self.stack.resources.get(*name)) {
                if other.is(PORT) && on_subnet(&other.properties().get("fixed_ips")?, &subnet) {
                    is_on = true;
                    break;
                }
            }
            if is_on {
                found.push(name);
            }
        }
        Ok(found)
    }

    /// The router's interfaces and gateways.
    fn extra_route(self) -> Found<'s> {
        let router = self.own("router_id")?;
        let mut found = self.of(INTERFACE, "router", &router);
        found.extend(self.of(GATEWAY, "router_id", &router));
        Ok(found)
    }

    /// The router's interfaces.
    fn extra_routes(self) -> Found<'s> {
        Ok(self.of(INTERFACE, "router", &self.own("router")?))
    }

    /// The cloud's route tables: the gateway is attached to their routers.
    fn attachment(self) -> Found<'s> {
        Ok(self.of("AWS::EC2::RouteTable", "VpcId", &self.own("VpcId")?))
    }
}

fn interface_subnet(interface: &Resource) -> Result<Value, Refused> {
    let properties = interface.properties();
    or(properties.get("subnet")?, || properties.get("subnet_id"))
}

/// Whether one of the addresses is on the subnet.
fn on_subnet(addresses: &Value, subnet: &Value) -> bool {
    items(addresses).iter().any(|address| {
        let own = key(address, "subnet");
        let own = if is_true(own) { own } else { key(address, "subnet_id") };
        same(own, subnet)
    })
}

/// Whether a port may be on the subnet of an interface.
fn is_on(port: &Resource, subnet: &Value) -> bool {
    if !port.is(PORT) {
        return false;
    }
    let Ok(fixed) = port.properties().get("fixed_ips") else { return false };
    if is_true(&fixed) {
        return on_subnet(&fixed, subnet);
    }
    // Of a subnet that is known Heat would ask Neutron, which does not know a network that is not there yet.
    matches!(subnet, Value::Null | Value::Unknown)
}
