//! W0101: components or resources that wait for each other.

use crate::graph::{Edge, Node, Why};

use super::registry::check;
use super::sink::Sink;

check! {
    /// Components, or resources, wait for each other in a circle, so none of them can ever begin.
    ///
    /// Waiting comes from values (an input reads an output), from the order in which components were declared on one
    /// server, from `t.after`, and, among resources, from properties and from attributes that a server is told. The
    /// report shows the shortest circle hop by hop.
    ///
    /// Two components feed each other:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::check::{check, Limits};
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
    /// # assert!(check(&t.finish(Exports::new()), &Limits::default()).iter().any(|d| d.code == "W0101"));
    /// ```
    ///
    /// One of them has to begin without the other:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::check::{check, Limits};
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let left = t.on(server).run("left", Peer::new().other("10.0.0.2"));
    /// let right = t.on(server).run("right", Peer::new().other(left.address));
    /// # assert!(!check(&t.finish(Exports::new().entry("address", right.address)), &Limits::default()).iter().any(|d| d.code == "W0101"));
    /// ```
    CYCLE: "W0101", Error, "components or resources wait for each other", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for cycle in sink.graph().cycles() {
        let first = cycle.first().map_or("", |(node, ..)| name(*node));
        let message = match cycle.len() {
            1 => format!("`{first}` waits for itself"),
            n => format!("{} wait for each other: `{first}` waits for itself by way of {}", count(&cycle), others(n - 1)),
        };
        let mut finding = CYCLE.finding(message);
        for (from, edge, to) in &cycle {
            finding = finding.label(edge.at, hop(*from, edge, *to));
            if let Why::Data { promise: Some((promise, at)), .. } = edge.why {
                finding = finding.label(at, format!("the promise `{promise}` is fulfilled here"));
            }
        }
        if cycle.iter().any(|(_, edge, _)| edge.why == Why::RunList) {
            finding = finding.help(
                "components of one server run in the order in which they were declared; declare them in another order, \
                 or give the server `.order(Order::Dataflow)`",
            );
        }
        sink.push(finding.help("take one of these hops away: a value known earlier, or a component of its own"));
    }
}

fn name<'m>(node: Node<'m>) -> &'m str {
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
        Why::Data { input, output, .. } => format!("`{from}` waits for the output `{output}` of `{to}`: its input `{input}`"),
        Why::RunList => format!("`{from}` runs after `{to}`, which was declared before it on the same server"),
        Why::After => format!("`{from}` runs after `{to}`"),
        Why::Property(property) => format!("`{from}` needs `{to}`: its property `{property}`"),
        Why::UserData { component, input, attribute } => {
            format!("`{from}` is told the attribute `{attribute}` of `{to}`: the input `{input}` of `{component}`")
        }
    }
}
