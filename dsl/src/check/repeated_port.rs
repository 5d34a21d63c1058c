//! W0315: two components of one server listen on the same port.

use std::collections::HashMap;

use super::registry::check;
use super::sink::Sink;
use crate::model::{Component, Declaration, Expr, Name, Ports, Protocol, Source, Type, Value};

check! {
    /// Two components of one server listen on the same port. Usually, only the first one to start gets it, and the other one
    /// fails. If both allow others to share the port, each gets connections that are meant for the other one.
    ///
    /// Only ports that are known here are compared. If both components have inputs that are IP addresses, and none of these
    /// is the same, each may have the port on an address of its own.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// #[component(recipe = "src/check/examples/web.sh")]
    /// pub struct Site {
    ///     #[input(default = 80, listen)]
    ///     port: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// fn sites(t: &mut Topology) {
    ///     let server = t.add("server", RawResource::new("OS::Nova::Server"));
    ///     for name in ["shop", "wiki"] {
    ///         t.on(server).run(name, Site::new());
    ///     }
    /// }
    /// # let mut t = Topology::new("demo");
    /// # sites(&mut t);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0315"));
    /// ```
    ///
    /// Give each its own port:
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # pub struct Site {
    /// #     #[input(default = 80, listen)]
    /// #     port: u16,
    /// #     #[output]
    /// #     url: String,
    /// # }
    /// #
    /// fn sites(t: &mut Topology) {
    ///     let server = t.add("server", RawResource::new("OS::Nova::Server"));
    ///     for (name, port) in [("shop", 80), ("wiki", 8080)] {
    ///         t.on(server).run(name, Site::new().port(port));
    ///     }
    /// }
    /// # let mut t = Topology::new("demo");
    /// # sites(&mut t);
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0315"));
    /// ```
    CHECK: "W0315", Warning, "two components of one server listen on the same port", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut known: HashMap<&Name, Vec<Listener<'_>>> = HashMap::new();
    let mut found = Vec::new();
    for component in model.components.values() {
        let Some(declaration) = model.declaration(component) else { continue };
        let own = listeners(component, declaration);
        let before = known.entry(&component.server).or_default();
        for listener in &own {
            found.extend(
                before.iter().find_map(|first| Some((first.clone(), listener.clone(), first.common(listener)?))),
            );
        }
        before.extend(own);
    }
    for (first, second, port) in found {
        let server = &second.component.server;
        let [one, other] = [&first, &second].map(|listener| &listener.component.name);
        let diagnostic = CHECK
            .diagnostic(format!("`{one}` and `{other}` both listen on {} port {port} of `{server}`", first.protocol))
            .label(second.at, format!("`{other}` listens on it, too"))
            .label(first.at, format!("`{one}` listens on it"))
            .help("give each its own port");
        sink.push(diagnostic);
    }
}

/// Ports that a component listens on.
#[derive(Clone)]
struct Listener<'m> {
    component: &'m Component,
    declaration: &'m Declaration,
    protocol: Protocol,
    first: u16,
    last: u16,
    at: &'m Source,
}

impl<'m> Listener<'m> {
    /// The first port on which both components, which are on one server, listen.
    fn common(&self, other: &Self) -> Option<u16> {
        let port = self.first.max(other.first);
        let is_common =
            self.protocol == other.protocol && port <= self.last.min(other.last) && !self.is_elsewhere(other);
        is_common.then_some(port)
    }

    /// Whether both listen on known addresses, none of which is the same.
    fn is_elsewhere(&self, other: &Self) -> bool {
        let (own, others) = (self.addresses(), other.addresses());
        !own.is_empty() && !others.is_empty() && own.iter().all(|address| !others.contains(address))
    }

    fn addresses(&self) -> Vec<&'m Expr> {
        let is_address = |name: &Name| {
            self.declaration
                .inputs
                .get(name)
                .is_some_and(|input| [Type::IP, Type::IPV4, Type::IPV6].contains(&input.ty))
        };
        let inputs = self.component.inputs.iter().filter(|(name, _)| is_address(name));
        inputs.map(|(_, binding)| &binding.value).collect()
    }
}

/// The ports on which a component listens, as far as they are known.
fn listeners<'m>(component: &'m Component, declaration: &'m Declaration) -> Vec<Listener<'m>> {
    let range = |ports: &Ports| match ports {
        Ports::Fixed { first, last } => Some((*first, *last, &component.at)),
        Ports::OfInput(name) => {
            let (value, at) = match component.inputs.get(name) {
                Some(binding) => (binding.value.constant()?, &binding.at),
                None => (declaration.inputs.get(name)?.default.as_ref()?, &component.at),
            };
            let Value::Integer(port) = value else { return None };
            let port = u16::try_from(*port).ok()?;
            Some((port, port, at))
        }
    };
    let listener =
        |protocol: Protocol, (first, last, at)| Listener { component, declaration, protocol, first, last, at };
    declaration.listens.iter().filter_map(|listen| Some(listener(listen.protocol, range(&listen.ports)?))).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::{Expr, Listen, Model, Ports, Protocol, Type, Value};

    /// A server with two components that listen on these ports.
    fn sites(servers: [&str; 2], ports: [Expr; 2], addresses: Option<[&str; 2]>) -> Model {
        let inputs = [("port", Type::integer(0, 65_535)), ("address", Type::IP)];
        let mut sketch = Sketch::new().server("left").server("right").kind("Site", &inputs, &[]);
        for (n, (name, port)) in ["shop", "wiki"].into_iter().zip(ports).enumerate() {
            let key = format!("{}/{name}", servers[n]);
            sketch = sketch.component(servers[n], name, "Site").input(&key, "port", port);
            if let Some(addresses) = addresses {
                sketch = sketch.input(&key, "address", addresses[n]);
            }
        }
        let site = &mut sketch.model.declarations["Site"];
        site.listens = vec![Listen { protocol: Protocol::Tcp, ports: Ports::OfInput("port".into()) }];
        site.inputs["address"].required = false;
        sketch.model
    }

    pub(in crate::check) fn failing() -> Model {
        sites(["left", "left"], [80.into(), 80.into()], None)
    }

    #[test]
    fn other_servers_ports_and_addresses_are_others() {
        let here = ["left", "left"];
        let is_found = |model: &Model| codes(model) == ["W0315"];
        assert!(!is_found(&sites(["left", "right"], [80.into(), 80.into()], None)));
        assert!(!is_found(&sites(here, [80.into(), 81.into()], None)));
        assert!(!is_found(&sites(here, [80.into(), 80.into()], Some(["10.0.0.1", "10.0.0.2"]))));
        assert!(is_found(&sites(here, [80.into(), 80.into()], Some(["10.0.0.1", "10.0.0.1"]))));
    }

    #[test]
    fn defaults_ranges_and_protocols_count() {
        let with = |change: &dyn Fn(&mut Model)| {
            let mut model = failing();
            change(&mut model);
            codes(&model) == ["W0315"]
        };
        assert!(with(&|model| {
            model.components.values_mut().for_each(|component| drop(component.inputs.shift_remove("port")));
            let port = &mut model.declarations["Site"].inputs["port"];
            (port.default, port.required) = (Some(Value::Integer(80)), false);
        }));
        let fixed = |protocol, first, last| Listen { protocol, ports: Ports::Fixed { first, last } };
        let both = |one: Listen| {
            with(&|model| {
                model.declarations.insert("Other".into(), model.declarations["Site"].clone());
                model.declarations["Other"].listens = vec![one.clone()];
                model.components["left/wiki"].declaration = "Other".into();
            })
        };
        assert!(both(fixed(Protocol::Tcp, 79, 80)) && both(fixed(Protocol::Tcp, 80, 90)));
        assert!(!both(fixed(Protocol::Tcp, 81, 90)) && !both(fixed(Protocol::Udp, 80, 80)));
    }
}
