//! W0310: one address for several.

use super::counted::{address_in, members, open};
use super::registry::check;
use super::sink::Sink;
use crate::model::{Expr, Name, Source};

check! {
    /// Several ports or servers are to have the same address on the same network, which Neutron refuses for all but the
    /// first. So it is with an address in what a group has several of.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::item;
    /// # let mut t = Topology::new("demo");
    /// for name in ["left", "right"] {
    ///     let net = [("network", "private"), ("fixed_ip", "10.0.0.5")];
    ///     t.add(name, RawResource::new("OS::Nova::Server").property("networks", [net]));
    /// }
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0310"));
    /// ```
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::item;
    /// # let mut t = Topology::new("demo");
    /// for (name, address) in [("left", "10.0.0.5"), ("right", "10.0.0.6")] {
    ///     let net = [("network", "private"), ("fixed_ip", address)];
    ///     t.add(name, RawResource::new("OS::Nova::Server").property("networks", [net]));
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0310"));
    /// ```
    CHECK: "W0310", Error, "one address for several", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut known: Vec<Fixed<'_>> = Vec::new();
    let mut found = Vec::new();
    for (name, resource) in &model.resources {
        // Of those that depend on conditions, perhaps only one is there.
        if resource.condition.is_some() || resource.external_id.is_some() {
            continue;
        }
        let list = match &*resource.ty {
            "OS::Nova::Server" => "networks",
            "OS::Neutron::Port" => "fixed_ips",
            _ => continue,
        };
        let Some(binding) = resource.properties.get(list) else { continue };
        let own = ["network", "network_id"].iter().find_map(|key| resource.properties.get(*key)).map(|one| &one.value);
        let items = open(&binding.value);
        let Expr::List(items) = &*items else { continue };
        for (address, place) in items.iter().filter_map(|item| address_in(item, own)) {
            let fixed = Fixed { name, address, place, at: &binding.at };
            match known.iter().find(|one| one.address == fixed.address && one.place == fixed.place) {
                Some(first) => found.push((fixed, first.name, first.at)),
                None => known.push(fixed),
            }
        }
    }
    for (fixed, first, at) in found {
        let Fixed { name, address, .. } = fixed;
        let diagnostic = CHECK
            .diagnostic(format!("`{name}` and `{first}` are both to have the address {address}"))
            .label(fixed.at, "refused by Neutron")
            .label(at, format!("`{first}` has it"))
            .help("give each an address of its own, or leave the addresses to Neutron");
        sink.push(diagnostic);
    }
    for group in members(model) {
        let list = if group.ty == "OS::Nova::Server" { "networks" } else { "fixed_ips" };
        let Some(Expr::List(items)) = group.property(list) else { continue };
        for address in items.iter().filter_map(|item| address_in(item, Some(item))).map(|(address, _)| address) {
            if address.contains(&*group.index) {
                continue;
            }
            let diagnostic = CHECK
                .diagnostic(format!(
                    "all {} members of `{}` are to have the address {address}",
                    group.count, group.name
                ))
                .label(group.at, "refused by Neutron for all but the first")
                .help("leave the addresses to Neutron, or add each member by itself");
            sink.push(diagnostic);
        }
    }
}

/// An address that is asked for, and where.
struct Fixed<'m> {
    name: &'m Name,
    address: String,
    place: [Option<Expr>; 2],
    at: &'m Source,
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, resource};
    use crate::model::{Expr, Model};

    fn port(sketch: Sketch, name: &str, network: &str, address: &str) -> Sketch {
        let fixed = map([("ip_address", address.into()), ("subnet", resource(network))]);
        let sketch = sketch.resource(name, "OS::Neutron::Port").property(name, "network", resource(network));
        sketch.property(name, "fixed_ips", Expr::List(vec![fixed]))
    }

    fn nets() -> Sketch {
        Sketch::new().resource("one", "OS::Neutron::Net").resource("other", "OS::Neutron::Net")
    }

    pub(in crate::check) fn failing() -> Model {
        port(port(nets(), "left", "one", "10.0.0.5"), "right", "one", "10.0.0.5").model
    }

    #[test]
    fn another_network_or_address_is_another() {
        let left = || port(nets(), "left", "one", "10.0.0.5");
        assert!(codes(&port(left(), "right", "other", "10.0.0.5").model).is_empty());
        assert!(codes(&port(left(), "right", "one", "10.0.0.6").model).is_empty());
        let mut either = failing();
        either.resources["right"].condition = Some(Box::new("small".into()));
        assert!(!codes(&either).contains(&"W0310"));
    }

    #[test]
    fn members_of_a_group_are_counted() {
        let group = |count: i32, address: &str| {
            let net = map([("network", "private".into()), ("fixed_ip", address.into())]);
            let properties = map([("networks", Expr::List(vec![net]))]);
            let member = map([("type", "OS::Nova::Server".into()), ("properties", properties)]);
            let sketch = Sketch::new().resource("group", "OS::Heat::ResourceGroup").property("group", "count", count);
            codes(&sketch.property("group", "resource_def", member).model)
        };
        assert_eq!(group(3, "10.0.0.5"), ["W0310"]);
        assert!(group(1, "10.0.0.5").is_empty());
        assert!(group(3, "10.0.0.1%index%").is_empty());
    }
}
