//! W0309: components on a server that may not exist.

use std::collections::HashSet;

use crate::graph::{Edge, Node, Why};
use crate::model::{Component, Expr, Model, Name, Resource, Value};

use super::registry::check;
use super::sink::Sink;
use crate::model::Severity;

check! {
    /// A server has a condition and runs components. If the condition does not hold, Heat omits the server, and
    /// whatever waits for its components waits forever. `up` and `status` expect these components in any case, because
    /// only Heat evaluates conditions.
    ///
    /// This is an error if a component of another server waits for one of these components, unless that server has the
    /// same condition. Otherwise it is a warning.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let [one, two] = ["one", "two"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// let is_large = t.condition("is_large", false);
    /// t.resource(one).condition(is_large);
    /// let first = t.on(one).run("peer", Peer::new().other("nobody"));
    /// let second = t.on(two).run("peer", Peer::new().other(first.address));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("address", second.address)), "W0309"));
    /// ```
    ///
    /// Put what is optional into a stack of its own, or decide when the template is written:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let [one, two] = ["one", "two"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// # let is_large = true;
    /// # let peer = t.on(one).run("peer", Peer::new().other("nobody"));
    /// if is_large {
    ///     t.on(two).run("peer", Peer::new().other(peer.address));
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0309"));
    /// ```
    CHECK: "W0309", Error, "components on a server that may not exist", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let is_conditional = |resource: &Resource| resource.is_server() && condition(model, resource).is_some();
    if !model.resources.values().any(is_conditional) {
        return;
    }
    let mut awaited = HashSet::new();
    let mut found = Vec::new();
    for (from, edge, to) in sink.graph().edges() {
        let (Node::Component(reader, at), Node::Component(key, component)) = (from, to) else { continue };
        let Some((name, server, condition)) = host(model, component) else { continue };
        let same = host(model, at).is_some_and(|(_, _, theirs)| theirs == condition);
        if at.server != component.server && !same && awaited.insert(name) {
            found.push((name, server, Some((reader, key, edge))));
        }
    }
    let mut reported = awaited;
    for component in model.components.values() {
        if let Some((name, server, _)) = host(model, component)
            && reported.insert(name)
        {
            found.push((name, server, None));
        }
    }
    for (name, server, reader) in found {
        let message = format!("the server `{name}` runs components, but does not exist when its condition is false");
        let mut diagnostic =
            CHECK.diagnostic(message).label(&server.at, "only Heat decides whether this server exists");
        match reader {
            Some((reader, key, edge)) => diagnostic = diagnostic.label(edge.at, waits(reader, key, edge)),
            None => diagnostic.severity = Severity::Warning,
        }
        let help = if reader.is_some() {
            "put what waits for it on a server with the same condition, or remove the condition"
        } else {
            "remove the condition, or move the optional part into another stack"
        };
        sink.push(diagnostic.note("wattle counts on the components whether or not their server exists").help(help));
    }
}

fn waits(reader: &Name, key: &Name, edge: Edge<'_>) -> String {
    match edge.why {
        Why::Data { output, .. } => format!("`{reader}` would wait forever for the output `{output}` of `{key}`"),
        _ => format!("`{reader}` would wait forever for `{key}`"),
    }
}

/// The server of a component, if it has a condition.
fn host<'m>(model: &'m Model, component: &Component) -> Option<(&'m Name, &'m Resource, &'m Expr)> {
    let (name, server) = model.resources.get_key_value(&component.server)?;
    Some((name, server, condition(model, server)?))
}

/// The condition of a resource, unless it always holds.
fn condition<'m>(model: &'m Model, resource: &'m Resource) -> Option<&'m Expr> {
    let condition = resource.condition.as_deref()?;
    let named = match condition.constant() {
        Some(Value::Str(name)) => model.conditions.get(name).map(|known| &known.value),
        _ => None,
    };
    let holds = |value: &Expr| value.constant() == Some(&Value::Boolean(true));
    (!holds(named.unwrap_or(condition))).then_some(condition)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, output, sound};
    use crate::check::{Limits, Severity, check};
    use crate::model::{Condition, Model, Type};

    /// `web/web` reads an output of `db/db2`, whose server has this condition.
    fn reading(condition: &str) -> Sketch {
        let sketch = sound().server("web").kind("Web", &[("url", Type::URI)], &[]).component("web", "web", "Web");
        let mut sketch = sketch.input("web/web", "url", output("db/db2", "url"));
        for (name, value) in [("is_large", false), ("always", true)] {
            let at = sketch.at();
            sketch.model.conditions.insert(name.into(), Condition::new(value.into(), at));
        }
        sketch.model.resources["db"].condition = Some(Box::new(condition.into()));
        sketch
    }

    pub(in crate::check) fn failing() -> Model {
        reading("is_large").model
    }

    #[test]
    fn who_has_the_same_condition_may_read() {
        let mut model = failing();
        model.resources["web"].condition = Some(Box::new("is_large".into()));
        let found = check(&model, &Limits::default());
        assert_eq!(
            found.iter().map(|found| (found.code, found.severity)).collect::<Vec<_>>(),
            [("W0309", Severity::Warning), ("W0309", Severity::Warning)]
        );
        model.resources["web"].condition = Some(Box::new("always".into()));
        assert_eq!(check(&model, &Limits::default())[0].severity, Severity::Error);
    }

    #[test]
    fn what_always_holds_is_no_condition() {
        assert!(codes(&reading("always").model).is_empty());
        let mut model = failing();
        model.resources["db"].condition = Some(Box::new(true.into()));
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn an_order_is_waited_for_as_well_and_a_server_without_software_is_heat_s_affair() {
        let mut model = sound().server("web").kind("Web", &[], &[]).component("web", "web", "Web").model;
        model.resources["db"].condition = Some(Box::new(false.into()));
        assert_eq!(check(&model, &Limits::default())[0].severity, Severity::Warning);
        let mut sketch = sound().server("web").kind("Web", &[], &[]).component("web", "web", "Web");
        sketch = sketch.after("web/web", "db/db2");
        sketch.model.resources["db"].condition = Some(Box::new(false.into()));
        assert_eq!(check(&sketch.model, &Limits::default())[0].severity, Severity::Error);
        let mut model = sound().server("bare").model;
        model.resources["bare"].condition = Some(Box::new(false.into()));
        assert!(codes(&model).is_empty());
    }
}
