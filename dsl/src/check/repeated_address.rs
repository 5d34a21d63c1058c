//! W0310: one address is assigned more than once.

use super::counted::{Address, addresses, members, open};
use super::registry::check;
use super::sink::Sink;
use crate::model::{Expr, Name, Source};

check! {
    /// Several ports or servers have the same address on the same network. Neutron refuses all but the first. The same
    /// applies to floating IP addresses, to addresses of load balancers, and to MAC addresses of ports.
    ///
    /// An address in the definition of a group's members is reported too, if the group has or may have several members.
    /// A group whose size is a parameter is taken to have as many members as the parameter's default says.
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
    /// Give each of them its own address, or let Neutron choose the addresses:
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
    CHECK: "W0310", Error, "one address is assigned more than once", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut known: Vec<Fixed<'_>> = Vec::new();
    let mut found = Vec::new();
    for (name, resource) in &model.resources {
        // Of resources with conditions, perhaps only one will exist.
        if resource.condition.is_some() || resource.external_id.is_some() {
            continue;
        }
        let given = |key: &str| resource.properties.get(key).map(|binding| open(&binding.value).into_owned());
        for Address { text, place, property } in addresses(&resource.ty, &given) {
            // Without it, the network is not known.
            let Some(binding) = resource.properties.get(property).filter(|_| place.iter().any(Option::is_some)) else {
                continue;
            };
            let fixed = Fixed { name, address: text, place, at: &binding.at };
            match known.iter().find(|one| one.address == fixed.address && one.place == fixed.place) {
                Some(first) => found.push((fixed, first.name, first.at)),
                None => known.push(fixed),
            }
        }
    }
    for (fixed, first, at) in found {
        let Fixed { name, address, .. } = fixed;
        let diagnostic = CHECK
            .diagnostic(format!("`{name}` and `{first}` are both given the address {address}"))
            .label(fixed.at, "refused by Neutron")
            .label(at, format!("`{first}` already has it"))
            .help("give each its own address, or let Neutron choose the addresses");
        sink.push(diagnostic);
    }
    for group in members(model) {
        let asked = addresses(&group.ty, &|key| group.property(key).cloned());
        for Address { text: address, .. } in asked.into_iter().filter(|asked| !group.numbers(&asked.text)) {
            let diagnostic = CHECK
                .diagnostic(format!("{} of `{}` are given the address {address}", group.all("members"), group.name))
                .label(group.at, "refused by Neutron for all but the first")
                .help("let Neutron choose the addresses, or add each member separately");
            sink.push(diagnostic);
        }
    }
}

/// A requested address, and where it is requested.
struct Fixed<'m> {
    name: &'m Name,
    address: String,
    place: [Option<Expr>; 2],
    at: &'m Source,
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::broken_requirement::tests::tested;
    use crate::check::testing::{Sketch, codes, map, parameter, resource};
    use crate::model::{Constraint, Expr, Model, Requirement, Test, Type};

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
    fn what_ports_and_others_have_once_is_one_address_too() {
        let both = |ty: &str, property: &str, network: &str, values: [&str; 2]| {
            let mut sketch = nets();
            for (name, value) in ["left", "right"].into_iter().zip(values) {
                sketch =
                    sketch.resource(name, ty).property(name, network, resource("one")).property(name, property, value);
            }
            codes(&sketch.model).contains(&"W0310")
        };
        for (ty, property, network) in [
            ("OS::Neutron::Port", "mac_address", "network"),
            ("OS::Neutron::FloatingIP", "floating_ip_address", "floating_network"),
            ("OS::Octavia::LoadBalancer", "vip_address", "vip_subnet"),
        ] {
            assert!(both(ty, property, network, ["fa:16:3e:00:00:0a", "FA:16:3E:00:00:0A"]), "{ty}");
            assert!(!both(ty, property, network, ["10.0.0.5", "10.0.0.6"]), "{ty}");
        }
    }

    fn member(address: &str) -> Expr {
        let net = map([("network", "private".into()), ("fixed_ip", address.into())]);
        let properties = map([("networks", Expr::List(vec![net]))]);
        map([("type", "OS::Nova::Server".into()), ("properties", properties)])
    }

    #[test]
    fn members_of_a_group_are_counted() {
        let group = |count: Expr, address: &str| {
            let sketch = Sketch::new().parameter("count", Type::FLOAT).resource("group", "OS::Heat::ResourceGroup");
            sketch.property("group", "count", count).property("group", "resource_def", member(address)).model
        };
        let is_found = |model: &Model| codes(model).contains(&"W0310");
        assert!(is_found(&group(3.into(), "10.0.0.5")));
        assert!(!is_found(&group(1.into(), "10.0.0.5")));
        assert!(!is_found(&group(3.into(), "10.0.0.1%index%")));
        // The number comes from a parameter.
        let mut open = group(parameter("count"), "10.0.0.5");
        assert!(!is_found(&open));
        let mut bounded = open.clone();
        bounded.parameters["count"].constraints = vec![Constraint::Range { min: Some(2.0), max: None }];
        assert!(is_found(&bounded));
        let at_least = tested(parameter("count"), Test::AtLeast(2.into()));
        open.requirements.insert("several".into(), Requirement::new(at_least, open.at.clone()));
        assert!(is_found(&open));
        open.requirements.clear();
        open.parameters["count"].default = Some(3.into());
        assert!(is_found(&open));
        open.parameters["count"].default = Some(1.into());
        assert!(!is_found(&open));
    }

    #[test]
    fn a_group_that_scales_may_have_several() {
        let group = |most: i32| {
            let sketch = Sketch::new().resource("group", "OS::Heat::AutoScalingGroup").property("group", "min_size", 1);
            let sketch =
                sketch.property("group", "max_size", most).property("group", "resource", member("10.0.0.1%index%"));
            codes(&sketch.model).contains(&"W0310")
        };
        assert!(group(2) && !group(1));
    }
}
