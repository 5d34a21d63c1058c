//! W0303: a server that Heat could create only after another one.

use std::collections::VecDeque;

use crate::graph::{Edge, Why};
use crate::model::Name;

use super::registry::check;
use super::sink::Sink;

check! {
    /// The properties of a server refer to another server, directly or through other resources. Heat would have to
    /// create one after the other.
    ///
    /// In a template of wattle, servers do not depend on each other. They all start at once, and read what they need
    /// from each other at run time. This is also what makes it possible to split large stacks into parts. A template
    /// that runs no software may order its servers freely.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/greet.sh")]
    /// # struct Greeter {
    /// #     #[input]
    /// #     name: String,
    /// #     #[output]
    /// #     greeting: String,
    /// # }
    /// # let mut t = Topology::new("demo");
    /// let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// let name = db.attribute::<String>("name");
    /// let app = t.add("app", RawResource::new("OS::Nova::Server").property("availability_zone", name));
    /// t.on(app).run("greeter", Greeter::new().name("world"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0303"));
    /// ```
    ///
    /// Make what the software needs from the other server an input of its component:
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
    /// # let mut t = Topology::new("demo");
    /// let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// let app = t.add("app", RawResource::new("OS::Nova::Server"));
    /// let peer = t.on(app).run("peer", Peer::new().other(db.attribute::<String>("name")));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("peer", peer.address)), "W0303"));
    /// ```
    CHECK: "W0303", Error, "a server depends on another server", run
}

/// One step on the path from a resource to the nearest server that it needs.
type Hop<'m> = (usize, Edge<'m>);

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    if model.components.is_empty() {
        return;
    }
    let edges = || sink.graph().resource_edges();
    if !edges().any(|(_, _, to)| model.resources[to].is_server()) {
        return;
    }
    // The edges by the index of the dependent resource, and reversed.
    let mut needs: Vec<Vec<Hop<'_>>> = vec![Vec::new(); model.resources.len()];
    let mut needed: Vec<Vec<Hop<'_>>> = vec![Vec::new(); model.resources.len()];
    for (from, edge, to) in edges() {
        needs[from].push((to, edge));
        needed[to].push((from, edge));
    }
    let is_server = |index: usize| model.resources[index].is_server();
    let nearest = nearest_servers(&needed, is_server);
    for server in (0..model.resources.len()).filter(|index| is_server(*index)) {
        let ways = needs[server].iter().filter_map(|(next, edge)| way(server, *next, *edge, &nearest, is_server));
        if let Some(way) = ways.min_by_key(Vec::len) {
            report(sink, server, &way);
        }
    }
}

/// For each resource that is not a server, the first step of the shortest path to a server that it needs.
fn nearest_servers<'m>(needed: &[Vec<Hop<'m>>], is_server: impl Fn(usize) -> bool) -> Vec<Option<Hop<'m>>> {
    let mut nearest = vec![None; needed.len()];
    let mut queue: VecDeque<usize> = (0..needed.len()).filter(|index| is_server(*index)).collect();
    while let Some(reached) = queue.pop_front() {
        for (from, edge) in &needed[reached] {
            if !is_server(*from) && nearest[*from].is_none() {
                nearest[*from] = Some((reached, *edge));
                queue.push_back(*from);
            }
        }
    }
    nearest
}

/// The path from `server` through `next` to another server. A path back to itself is a cycle, which another check reports.
fn way<'m>(
    server: usize,
    next: usize,
    edge: Edge<'m>,
    nearest: &[Option<Hop<'m>>],
    is_server: impl Fn(usize) -> bool,
) -> Option<Vec<Hop<'m>>> {
    let mut way = vec![(next, edge)];
    let mut at = next;
    while !is_server(at) {
        let hop = nearest[at]?;
        way.push(hop);
        at = hop.0;
    }
    (at != server).then_some(way)
}

fn report(sink: &mut Sink<'_, '_>, server: usize, way: &[Hop<'_>]) {
    let resources = &sink.model.resources;
    let name = |index: usize| resources.get_index(index).map_or("", |(name, _): (&Name, _)| &**name);
    let (from, to) = (name(server), name(way[way.len() - 1].0));
    let mut diagnostic = CHECK.diagnostic(format!("the server `{from}` needs the server `{to}`"));
    let mut at = server;
    for (next, edge) in way {
        let text = match edge.why {
            Why::UserData { component, input, attribute } => format!(
                "`{}` receives the attribute `{attribute}` of `{}` for the input `{input}` of `{component}`",
                name(at),
                name(*next)
            ),
            Why::Property(property) => format!("`{}` needs `{}` in its property `{property}`", name(at), name(*next)),
            _ => format!("`{}` needs `{}`", name(at), name(*next)),
        };
        diagnostic = diagnostic.label(edge.at, text);
        at = *next;
    }
    sink.push(
        diagnostic
            .note("all servers start at once; their components read what the servers need from each other at run time")
            .help(format!("wire what `{from}` needs from `{to}` to an input of a component on `{from}`")),
    );
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, attribute, codes, resource};
    use crate::check::{Limits, check};
    use crate::model::{Model, Type};

    fn ports() -> Sketch {
        Sketch::new()
            .server("db")
            .resource("address", "OS::Neutron::FloatingIPAssociation")
            .server("app")
            .resource("net", "OS::Neutron::Net")
            .property("db", "networks", resource("net"))
            .property("app", "networks", resource("net"))
    }

    pub(in crate::check) fn failing() -> Model {
        ports()
            .property("address", "port_id", attribute("db", "addresses"))
            .property("app", "name", resource("address"))
            .kind("K", &[], &[])
            .component("app", "k", "K")
            .model
    }

    #[test]
    fn without_software_the_order_of_servers_is_heat_s_affair() {
        let mut model = failing();
        model.components.clear();
        assert!(!codes(&model).contains(&"W0303"));
        crate::lower::lower(&model, &crate::lower::Options::default());
    }

    #[test]
    fn the_chain_is_shown() {
        let found = check(&failing(), &Limits::default());
        assert_eq!(found[0].message, "the server `app` needs the server `db`");
        assert_eq!(found[0].labels.len(), 2);
    }

    #[test]
    fn a_resource_may_need_a_server_and_servers_may_share_resources() {
        assert!(codes(&ports().property("address", "port_id", attribute("db", "addresses")).model).is_empty());
    }

    #[test]
    fn what_user_data_carries_counts() {
        let sketch = ports().property("address", "port_id", attribute("db", "addresses"));
        let sketch = sketch.kind("K", &[("address", Type::STR)], &[]).component("app", "k", "K");
        assert_eq!(codes(&sketch.input("app/k", "address", attribute("address", "show")).model), ["W0303"]);
    }

    #[test]
    fn reading_a_server_at_run_time_is_what_is_asked_for() {
        let sketch = ports().kind("K", &[("address", Type::STR)], &[]).component("app", "k", "K");
        assert!(codes(&sketch.input("app/k", "address", attribute("db", "name")).model).is_empty());
    }
}
