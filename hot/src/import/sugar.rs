//! The catalog's handwritten setters, which are shorter than Heat's properties.

use wattle_catalog_generate::plan::Type;

use wattle_heat::template::Call;
use wattle_heat::yaml::{Node, Tree};

use super::blueprint::Blueprint;
use super::catalog::Known;
use super::rust::{Expr, Method};
use super::valued::entries;

const NETWORK: Type = Type::Reference("NetworkRef");
const SUBNET: Type = Type::Reference("SubnetRef");
const PORT: Type = Type::Reference("PortRef");
const GROUP: Type = Type::Reference("SecurityGroupRef");
const SERVER_GROUP: Type = Type::Reference("ServerGroupRef");
const ADDRESS: Type = Type::Named("IpAddress");

impl Blueprint<'_> {
    /// The setters that are equivalent to setting the property `heat` to the value `node`, if there are any.
    pub(super) fn shorter(&mut self, heat: &str, node: &Node, known: &Known, hint: &str) -> Option<Vec<Method>> {
        match (&*known.resource.ty, heat) {
            ("OS::Nova::Server", "networks") => {
                self.each(node, &[("network", "network", NETWORK), ("port", "port", PORT)], known, hint)
            }
            ("OS::Nova::Server" | "OS::Neutron::Port", "security_groups") => {
                let items = items(node)?;
                Some(items.iter().map(|item| self.set("security_group", item, &GROUP, known, hint)).collect())
            }
            ("OS::Nova::Server", "scheduler_hints") => {
                Some(vec![self.only(node, ("group", "group", SERVER_GROUP), known, hint)?])
            }
            ("OS::Neutron::Router", "external_gateway_info") => {
                Some(vec![self.only(node, ("network", "external_network", NETWORK), known, hint)?])
            }
            ("OS::Neutron::Port", "fixed_ips") => {
                self.each(node, &[("subnet", "subnet", SUBNET), ("ip_address", "fixed_ip", ADDRESS)], known, hint)
            }
            ("OS::Neutron::SecurityGroup", "rules") => {
                let rules = items(node)?;
                rules.iter().map(|rule| self.rule(rule, known, hint)).collect()
            }
            _ => None,
        }
    }

    fn set(&mut self, method: &str, node: &Node, ty: &Type, known: &Known, hint: &str) -> Method {
        Method { name: method.into(), arguments: vec![self.typed(node, ty, known, hint)] }
    }

    /// A map with one key that has a setter.
    fn only(
        &mut self,
        node: &Node,
        (key, method, ty): (&str, &str, Type),
        known: &Known,
        hint: &str,
    ) -> Option<Method> {
        match pairs(self, node)?.as_slice() {
            [(only, value)] if only == key => Some(self.set(method, value, &ty, known, hint)),
            _ => None,
        }
    }

    /// A list of maps with one key each.
    fn each(&mut self, node: &Node, keys: &[(&str, &str, Type)], known: &Known, hint: &str) -> Option<Vec<Method>> {
        let of_item = |this: &mut Self, item: &Node| {
            keys.iter().find_map(|(key, method, ty)| this.only(item, (key, method, ty.clone()), known, hint))
        };
        items(node)?.iter().map(|item| of_item(self, item)).collect()
    }

    fn rule(&mut self, node: &Node, known: &Known, hint: &str) -> Option<Method> {
        let entries = pairs(self, node)?;
        let get = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
        let port = |name: &str| match get(name).map(|value| &*value.tree) {
            Some(Tree::Integer(port)) => u16::try_from(*port).ok(),
            _ => None,
        };
        let protocol = get("protocol").and_then(|protocol| protocol.tree.as_text());
        let mut said = vec!["protocol"];
        let begun = match (protocol, port("port_range_min"), port("port_range_max")) {
            (Some(protocol @ ("tcp" | "udp")), Some(first), Some(last)) => {
                said.extend(["port_range_min", "port_range_max"]);
                let (method, ports) = if first == last {
                    (protocol.to_owned(), first.to_string())
                } else {
                    (format!("{protocol}_range"), format!("{first}..={last}"))
                };
                Some(Expr::call(known.path(&format!("Rule::{method}")), [Expr::atom(ports)]))
            }
            (Some("icmp"), None, None) => Some(Expr::call(known.path("Rule::icmp"), [])),
            _ => None,
        };
        let fields = &known.nested("Rule")?.fields;
        let usable = |key: &str| super::catalog::usable(fields, key);
        if entries.iter().any(|(key, _)| usable(key).is_none()) {
            return None;
        }
        let begun =
            begun.filter(|_| entries.iter().all(|(key, _)| !key.starts_with("port_range") || said.contains(&&**key)));
        let Some(mut expr) = begun else {
            let expr = self.begun(&known.path("Rule"), fields, &entries, known, hint)?;
            return Some(Method { name: "rule".into(), arguments: vec![expr] });
        };
        for (key, value) in entries.iter().filter(|(key, _)| !said.contains(&&**key)) {
            let field = usable(key)?;
            let method = if key == "remote_ip_prefix" { "from" } else { &field.method };
            expr = expr.method(method, [self.typed(value, &field.ty, known, hint)]);
        }
        Some(Method { name: "rule".into(), arguments: vec![expr] })
    }
}

/// The items of a list, if it is not empty and short enough for one call per item.
fn items(node: &Node) -> Option<&[Node]> {
    match &*node.tree {
        Tree::List(items) if !items.is_empty() && items.len() <= 16 => Some(items),
        _ => None,
    }
}

fn pairs<'n>(blueprint: &Blueprint<'_>, node: &'n Node) -> Option<Vec<(String, &'n Node)>> {
    match &*node.tree {
        Tree::Map(pairs) if Call::of(node, blueprint.template.version()).is_none() => Some(entries(pairs)),
        _ => None,
    }
}
