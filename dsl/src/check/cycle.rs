//! W0101: components or resources depend on each other in a cycle.

use crate::graph::{Edge, Node, Why};

use super::registry::check;
use super::sink::Sink;

check! {
    /// Components or resources wait for each other in a cycle, so none of them can ever start.
    ///
    /// A component waits for the values that its inputs read, for the components declared before it on the same server,
    /// and for those that `t.after` names. A resource waits for those that its properties refer to, and a server also
    /// for those whose attributes it is given. The report shows the shortest cycle step by step. An output that is
    /// declared `early` counts like any other, because nothing guarantees that its component writes it before it reads
    /// the input.
    ///
    /// Two components that read each other's outputs:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/peer.sh")]
    /// struct Peer {
    ///     #[input]
    ///     other: String,
    ///     #[output]
    ///     address: String,
    /// }
    ///
    /// let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let from_right = t.later::<String>("from-right");
    /// let left = t.on(server).run("left", Peer::new().other(from_right));
    /// let right = t.on(server).run("right", Peer::new().other(left.address));
    /// t.fulfil(from_right, right.address);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0101"));
    /// ```
    ///
    /// To break the cycle, let one of them start without the other:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let left = t.on(server).run("left", Peer::new().other("10.0.0.2"));
    /// let right = t.on(server).run("right", Peer::new().other(left.address));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("address", right.address)), "W0101"));
    /// ```
    CHECK: "W0101", Error, "components or resources depend on each other in a cycle", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for cycle in sink.graph().cycles() {
        let first = cycle.first().map_or("", |(node, ..)| name(*node));
        let message = match cycle.len() {
            1 => format!("`{first}` waits for itself"),
            n => {
                format!("{} wait for each other: `{first}` waits for itself through {}", count(&cycle), others(n - 1))
            }
        };
        let mut diagnostic = CHECK.diagnostic(message);
        for (from, edge, to) in &cycle {
            diagnostic = diagnostic.label(edge.at, hop(*from, edge, *to));
            if let Why::Data { forward_reference: Some((forward, at)), .. } = edge.why {
                diagnostic = diagnostic.label(at, format!("the forward reference `{forward}` is fulfilled here"));
            }
        }
        if cycle.iter().any(|(_, edge, _)| edge.why == Why::RunList) {
            diagnostic = diagnostic.help(
                "components of one server run in the order in which they were declared; declare them in another order, \
                 or give the server `.order(Order::Dataflow)`",
            );
        }
        sink.push(diagnostic.help("break the cycle: use a value that is known earlier, or a separate component"));
    }
}

fn name(node: Node<'_>) -> &str {
    match node {
        Node::Component(name, _) | Node::Resource(name, _) => name,
    }
}

fn count(cycle: &[(Node<'_>, Edge<'_>, Node<'_>)]) -> String {
    let kind = if matches!(cycle[0].0, Node::Component(..)) { "components" } else { "resources" };
    format!("{} {kind}", cycle.len())
}

fn others(n: usize) -> String {
    if n == 1 { "the other".into() } else { format!("the {n} others") }
}

fn hop(from: Node<'_>, edge: &Edge<'_>, to: Node<'_>) -> String {
    let (from, to) = (name(from), name(to));
    match edge.why {
        Why::Data { input, output, .. } => {
            format!("`{from}` waits for the output `{output}` of `{to}` in its input `{input}`")
        }
        Why::RunList => format!("`{from}` runs after `{to}`, which was declared before it on the same server"),
        Why::After => format!("`{from}` runs after `{to}`"),
        Why::Property(property) => format!("`{from}` needs `{to}` in its property `{property}`"),
        Why::Setting(setting) => format!("`{from}` needs `{to}` in its `{setting}`"),
        Why::DependsOn => format!("`{from}` comes after `{to}` because of its `depends_on`"),
        Why::UserData { component, input, attribute } => {
            format!("`{from}` receives the attribute `{attribute}` of `{to}` for the input `{input}` of `{component}`")
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::{Duration, Instant};

    use crate::check::testing::{Sketch, attribute, codes, forward_reference, output, resource};
    use crate::check::{Diagnostic, Limits, check};
    use crate::model::{Binding, Component, Expr, Model, Name, Order, Resource, Source, Type};

    fn peers() -> Sketch {
        Sketch::new()
            .server("a")
            .server("b")
            .kind("Peer", &[("other", Type::STR)], &[("address", Type::STR)])
            .component("a", "peer", "Peer")
            .component("b", "peer", "Peer")
            .input("b/peer", "other", output("a/peer", "address"))
    }

    pub(in crate::check) fn failing() -> Model {
        peers()
            .forward_reference("later", Type::STR)
            .input("a/peer", "other", forward_reference("later"))
            .fulfil("later", output("b/peer", "address"))
            .model
    }

    fn only(model: &Model) -> Diagnostic {
        let mut found = check(model, &Limits::default());
        assert_eq!(found.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), ["W0101"], "{found:?}");
        found.remove(0)
    }

    fn exported(sketch: Sketch, component: &str) -> Model {
        sketch.export("address", Type::STR, output(component, "address")).model
    }

    #[test]
    fn every_hop_and_the_forward_reference_between_are_shown() {
        let diagnostic = only(&failing());
        assert_eq!(diagnostic.message, "2 components wait for each other: `a/peer` waits for itself through the other");
        let labels: Vec<_> = diagnostic.labels.iter().map(|label| &*label.text).collect();
        assert_eq!(
            labels,
            [
                "`a/peer` waits for the output `address` of `b/peer` in its input `other`",
                "the forward reference `later` is fulfilled here",
                "`b/peer` waits for the output `address` of `a/peer` in its input `other`",
            ]
        );
    }

    #[test]
    fn an_early_output_is_a_hop_all_the_same() {
        let mut model = failing();
        for kind in model.declarations.values_mut() {
            kind.outputs["address"].early = true;
        }
        assert!(only(&model).message.starts_with("2 components wait for each other"));
    }

    #[test]
    fn a_chain_is_sound() {
        assert!(codes(&exported(peers().input("a/peer", "other", "10.0.0.1"), "b/peer")).is_empty());
    }

    /// The first component of a server reads an output of the second.
    fn backwards() -> Model {
        let sketch = Sketch::new().server("a").kind("Peer", &[("other", Type::STR)], &[("address", Type::STR)]);
        let sketch = sketch.component("a", "first", "Peer").component("a", "second", "Peer");
        let sketch = sketch.input("a/first", "other", output("a/second", "address")).input("a/second", "other", "x");
        exported(sketch, "a/first")
    }

    #[test]
    fn the_order_of_declaration_counts_unless_the_server_says_otherwise() {
        let mut model = backwards();
        let diagnostic = only(&model);
        assert!(diagnostic.help[0].contains("Order::Dataflow"), "{diagnostic:?}");
        model.resources["a"].order = Order::Dataflow;
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn explicit_orders_count() {
        let model = exported(peers().input("a/peer", "other", "x").after("a/peer", "b/peer"), "b/peer");
        assert_eq!(only(&model).labels.len(), 2);
    }

    #[test]
    fn a_component_may_not_wait_for_itself() {
        for sketch in [
            peers().input("a/peer", "other", output("a/peer", "address")),
            peers().input("a/peer", "other", "x").after("a/peer", "a/peer"),
        ] {
            assert_eq!(only(&exported(sketch, "b/peer")).message, "`a/peer` waits for itself");
        }
    }

    #[test]
    fn a_server_may_not_learn_what_needs_it() {
        let sketch = Sketch::new().server("a").resource("address", "OS::Neutron::FloatingIPAssociation");
        let sketch = sketch.property("address", "port_id", attribute("a", "addresses"));
        let sketch = sketch.kind("Peer", &[("other", Type::STR)], &[]).component("a", "peer", "Peer");
        let diagnostic = only(&sketch.input("a/peer", "other", attribute("address", "show")).model);
        assert!(diagnostic.message.starts_with("2 resources"), "{diagnostic:?}");
    }

    #[test]
    fn resources_may_not_need_each_other() {
        let sketch = Sketch::new().resource("a", "OS::Neutron::Net").resource("b", "OS::Neutron::Net");
        only(&sketch.property("a", "name", resource("b")).property("b", "name", resource("a")).model);
    }

    #[test]
    fn two_circles_are_two_diagnostics() {
        let sketch = peers().input("a/peer", "other", output("b/peer", "address"));
        let sketch =
            sketch.server("c").component("c", "peer", "Peer").input("c/peer", "other", output("c/peer", "address"));
        assert_eq!(codes(&sketch.model), ["W0101", "W0101"]);
    }

    /// Servers with one component each that reads the previous one; in a ring, the first reads the last.
    fn line(length: usize, ring: bool) -> Model {
        let mut model = peers().model;
        model.resources.clear();
        model.components.clear();
        let key = |i: usize| -> Name { format!("s{i}/peer").into() };
        let at = Source::new("blueprint.rs", 1, 1);
        for i in 0..length {
            let server: Name = format!("s{i}").into();
            model.resources.insert(server.clone(), Resource::new(Resource::SERVER.into(), at.clone()));
            let mut component = Component::new("peer".into(), server, "Peer".into(), at.clone());
            let value = match (i, ring) {
                (0, false) => "start".into(),
                (0, true) => Expr::output(key(length - 1), "address"),
                _ => Expr::output(key(i - 1), "address"),
            };
            component.inputs.insert("other".into(), Binding { value, at: at.clone() });
            model.components.insert(key(i), component);
        }
        model
    }

    #[test]
    fn long_chains_and_rings_take_neither_the_stack_nor_long() {
        let start = Instant::now();
        let limits = Limits { resources: usize::MAX, ..Limits::default() };
        assert!(check(&line(100_000, false), &limits).is_empty());
        let ring = check(&line(100_000, true), &limits);
        assert!(ring[0].message.starts_with("100000 components"), "{}", ring[0].message);
        assert_eq!(ring[0].labels.len(), 16);
        assert!(start.elapsed() < Duration::from_mins(1), "a quadratic search takes hours: {:?}", start.elapsed());
    }

    #[test]
    fn forward_references_that_branch_do_not_explode() {
        let mut sketch = peers().input("a/peer", "other", forward_reference("p0"));
        for i in 0..60 {
            let next = || forward_reference(&format!("p{}", (i + 1) % 60));
            let both = Expr::Text(vec![next(), next()]);
            sketch = sketch.forward_reference(&format!("p{i}"), Type::STR).fulfil(&format!("p{i}"), both);
        }
        assert_eq!(codes(&exported(sketch, "b/peer")), ["W0104"]);
    }
}
