//! W0306: the address of a server on a network that it is not connected to.

use crate::model::{Reference, Resource, Source, Step};

use super::place::Place;
use super::registry::check;
use super::sink::Sink;
use super::uses::Use;

check! {
    /// Something reads the address of a server on a network to which the server is not connected. There is no such
    /// address, so the reader would wait forever.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::Segment;
    /// # use wattle::model::{Name, Value};
    /// # fn on(network: wattle::author::Resource) -> Vec<BTreeMap<String, wattle::author::Resource>> { vec![BTreeMap::from([("network".into(), network)])] }
    /// # fn address(server: wattle::author::Resource, network: wattle::author::Resource) -> Attribute<IpAddr> {
    /// #     server.attribute::<()>("networks").at(&[Segment::Resource(network), Segment::Index(0)])
    /// # }
    /// # let mut t = Topology::new("demo");
    /// let front = t.add("front", RawResource::new("OS::Neutron::Net"));
    /// let back = t.add("back", RawResource::new("OS::Neutron::Net"));
    /// let server = t.add("server", RawResource::new("OS::Nova::Server").property("networks", on(front)));
    /// let exports = Exports::new().entry("address", address(server, back));
    /// # assert!(wattle::check::finds(&t.finish(exports), "W0306"));
    /// ```
    ///
    /// Read the address on a network that the server is connected to, or connect the server:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::Segment;
    /// # fn on(network: wattle::author::Resource) -> Vec<BTreeMap<String, wattle::author::Resource>> { vec![BTreeMap::from([("network".into(), network)])] }
    /// # fn address(server: wattle::author::Resource, network: wattle::author::Resource) -> Attribute<IpAddr> {
    /// #     server.attribute::<()>("networks").at(&[Segment::Resource(network), Segment::Index(0)])
    /// # }
    /// # let mut t = Topology::new("demo");
    /// # let front = t.add("front", RawResource::new("OS::Neutron::Net"));
    /// let server = t.add("server", RawResource::new("OS::Nova::Server").property("networks", on(front)));
    /// let exports = Exports::new().entry("address", address(server, front));
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0306"));
    /// ```
    CHECK: "W0306", Error, "the address of a server on a network that it is not connected to", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for Use { place, at, reference } in &sink.uses().attributes {
        let is_read = matches!(
            place,
            Place::Input { .. } | Place::Property { .. } | Place::ForwardReference(_) | Place::Export(_)
        );
        let Reference::Attribute { resource: name, attribute, path: [Step::Resource(network), ..] } = reference else {
            continue;
        };
        let Some(server) = model.resources.get(*name).filter(|server| server.is_server()) else { continue };
        if !is_read || !matches!(&***attribute, "networks" | "addresses") || !model.resources.contains_key(network) {
            continue;
        }
        let networks = model.networks_of(server);
        if !networks.is_open && !networks.known.contains(&network) {
            sink.push(diagnostic(name, network, server, &networks.known, at));
        }
    }
}

fn diagnostic(
    name: &str,
    network: &str,
    server: &Resource,
    known: &[&crate::model::Name],
    at: &Source,
) -> super::Diagnostic {
    let is_on = if known.is_empty() {
        "no network of this stack".to_owned()
    } else {
        crate::names::list(known.iter().map(|name| &***name), "and")
    };
    CHECK
        .diagnostic(format!("the server `{name}` is not on the network `{network}` and has no address there"))
        .label(at, format!("reads the address of `{name}` on `{network}`"))
        .label(&server.at, format!("`{name}` is on {is_on}"))
        .help(format!(
            "connect the server to `{network}`, directly or by a port, or read its address on another network"
        ))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, output, resource};
    use crate::model::{Expr, Model, Step, Type};

    fn address(server: &str, network: &str) -> Expr {
        let path = vec![Step::Resource(network.into()), Step::Index(0)];
        Expr::attribute(server, "networks", path)
    }

    fn reading(network: &str, connected: Vec<Expr>) -> Model {
        Sketch::new()
            .resource("front", "OS::Neutron::Net")
            .resource("back", "OS::Neutron::Net")
            .resource("port", "OS::Neutron::Port")
            .property("port", "network", resource("back"))
            .server("db")
            .property("db", "networks", Expr::List(connected))
            .kind("Part", &[("address", Type::IP)], &[("text", Type::STR)])
            .component("db", "part", "Part")
            .input("db/part", "address", address("db", network))
            .export("text", Type::STR, output("db/part", "text"))
            .model
    }

    pub(in crate::check) fn failing() -> Model {
        reading("back", vec![map([("network", resource("front"))])])
    }

    #[test]
    fn an_address_on_a_network_of_its_own_is_fine() {
        assert!(codes(&reading("front", vec![map([("network", resource("front"))])])).is_empty());
        assert!(codes(&reading("back", vec![map([("port", resource("port"))])])).is_empty());
    }

    #[test]
    fn a_network_is_known_by_its_subnet_and_by_older_names() {
        let of = |key: &str, value: &str, connected: Expr| {
            let mut model = reading("back", vec![connected]);
            let subnet = |name: &str, key: &str, network: Expr| {
                let mut subnet = model.resources["front"].clone();
                subnet.ty = "OS::Neutron::Subnet".into();
                let at = subnet.at.clone();
                subnet.properties.insert(key.into(), crate::model::Binding { value: network, at });
                (name.to_owned(), subnet)
            };
            let subnets = [
                subnet("inside", "network", resource("back")),
                subnet("older", "network_id", resource("back")),
                subnet("outside", "network", resource("front")),
                subnet("computed", "network", Expr::attribute("front", "id", Vec::new())),
            ];
            let port = &mut model.resources["port"].properties;
            let at = port["network"].at.clone();
            port.clear();
            port.insert(key.into(), crate::model::Binding { value: resource(value), at });
            model.resources.extend(subnets.map(|(name, subnet)| (name.as_str().into(), subnet)));
            codes(&model)
        };
        let by = |key: &str, value: &str| of("network", "front", map([(key, resource(value))]));
        for (key, value) in [("uuid", "back"), ("subnet", "inside"), ("subnet", "older"), ("subnet", "computed")] {
            assert!(by(key, value).is_empty(), "{key} {value}");
        }
        assert_eq!(by("subnet", "outside"), ["W0306"]);
        let port = || map([("port", resource("port"))]);
        assert!(of("network_id", "back", port()).is_empty());
        assert_eq!(of("network_id", "front", port()), ["W0306"]);
        // A computed network may be any network.
        let chosen = Expr::attribute("front", "id", Vec::new());
        assert!(of("network", "front", map([("network", chosen)])).is_empty());
    }

    #[test]
    fn a_server_on_no_network_has_no_address() {
        assert_eq!(codes(&reading("back", Vec::new())), ["W0306"]);
        assert_eq!(codes(&reading("back", vec![map([("network", "private".into())])])), ["W0306"]);
    }
}
