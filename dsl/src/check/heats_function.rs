//! W0308: a Heat-only function that is applied to a value that Heat does not know.

use crate::analysis::function::{is_heats, unknown_to_heat};
use crate::model::{Expr, Name, Reference, Referred, Source};

use super::place::{self, Place};
use super::registry::check;
use super::sink::Sink;

check! {
    /// The value of an input is computed by a function that only Heat has, such as `yaql` or `repeat`, but Heat does
    /// not know the argument: it is an output of a component, or depends on a server. It is also an error if the
    /// argument is a secret, because Heat would show it in user data.
    ///
    /// Agents compute most functions themselves. What only Heat can compute reaches the agent through the user data of
    /// its server.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::Expr;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let [one, two] = ["one", "two"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// # let first = t.on(one).run("peer", Peer::new().other("nobody"));
    /// # t.on(two).run("peer", Peer::new().other(first.address));
    /// # let mut model = t.finish(Exports::new());
    /// let output = Expr::output("one/peer", "address");
    /// let data = Expr::map([("expression".into(), "$.data".into()), ("data".into(), output)]);
    /// model.components["two/peer"].inputs["other"].value = Expr::function("yaql", data);
    /// # assert!(wattle::check::finds(&model, "W0308"));
    /// ```
    ///
    /// Use a function that agents compute, or let a recipe compute the value:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::Expr;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let [one, two] = ["one", "two"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// # let first = t.on(one).run("peer", Peer::new().other("nobody"));
    /// # t.on(two).run("peer", Peer::new().other(first.address));
    /// # let mut model = t.finish(Exports::new());
    /// let output = Expr::output("one/peer", "address");
    /// let joined = Expr::list([",".into(), Expr::list([output, "localhost".into()])]);
    /// model.components["two/peer"].inputs["other"].value = Expr::function("list_join", joined);
    /// # assert!(!wattle::check::finds(&model, "W0308"));
    /// ```
    CHECK: "W0308", Error, "a Heat-only function that is applied to a value that Heat does not know", run, only Agents
}

fn run(sink: &mut Sink<'_, '_>) {
    let mut found = Vec::new();
    place::each(sink.model, |place, at, value| {
        if matches!(place, Place::Input { .. } | Place::ForwardReference(_) | Place::Requirement(_)) {
            functions(value, &mut |name, function| {
                if let Some(unknown) = unknown_to_heat(sink.model, function) {
                    found.push((place, at, name, unknown));
                }
            });
        }
    });
    for (place, at, name, unknown) in found {
        report(sink, place, at, name, unknown);
    }
}

/// Every outermost function that only Heat computes.
fn functions<'m>(value: &'m Expr, visit: &mut impl FnMut(&'m Name, &'m Expr)) {
    match value {
        Expr::Text(parts) | Expr::List(parts) => parts.iter().for_each(|part| functions(part, visit)),
        Expr::Map(parts) => parts.values().for_each(|part| functions(part, visit)),
        Expr::Function { name, .. } if is_heats(name) => visit(name, value),
        Expr::Function { argument, .. } => functions(argument, visit),
        _ => {}
    }
}

fn report(sink: &mut Sink<'_, '_>, place: Place<'_>, at: &Source, function: &str, unknown: Referred<'_>) {
    let (what, why) = match unknown {
        Reference::Output { component, output } => {
            (format!("the output `{output}` of `{component}`"), "the output exists only once that component has run")
        }
        Reference::ForwardReference(name) => {
            (format!("the forward reference `{name}`"), "the value that fulfils it may be known only at run time")
        }
        Reference::Import { stack, export } => {
            (format!("the export `{export}` of the stack `{stack}`"), "it is read at run time")
        }
        Reference::Parameter(name) => {
            (format!("the secret `{name}`"), "Heat would write it into user data, which others can read")
        }
        Reference::Resource(name) | Reference::Attribute { resource: name, .. } => {
            (format!("the server `{name}`"), "a server waits neither for another server nor for itself")
        }
        Reference::Foreign { .. } => return,
    };
    let diagnostic = CHECK
        .diagnostic(format!("{place} needs `{function}` of {what}, but only Heat computes that function"))
        .label(at, "agents cannot compute this")
        .note(why)
        .help(format!("let a recipe compute it, or use other functions: {}", listed()));
    sink.push(diagnostic);
}

fn listed() -> String {
    crate::names::list(wattle_heat::template::computed(), "and")
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, attribute, codes, map, output, parameter, secret, sound};
    use crate::model::{Expr, Model, Type};

    fn reading(value: Expr) -> Model {
        wired(sound(), value)
    }

    fn wired(sketch: Sketch, value: Expr) -> Model {
        let sketch = sketch.kind("Web", &[("url", secret(Type::Any))], &[]);
        sketch.component("db", "web", "Web").input("db/web", "url", value).model
    }

    fn yaql(data: Expr) -> Expr {
        Expr::function("yaql", map([("expression", "$.data".into()), ("data", data)]))
    }

    pub(in crate::check) fn failing() -> Model {
        reading(yaql(output("db/db2", "url")))
    }

    #[test]
    fn servers_and_secrets_are_not_for_heat_either() {
        for data in [parameter("key"), attribute("db", "name")] {
            let found = codes(&wired(sound().parameter("key", secret(Type::STR)), Expr::function("not", yaql(data))));
            assert!(found.contains(&"W0308"), "{found:?}");
        }
    }

    #[test]
    fn agents_compute_the_others() {
        let joined = Expr::function("list_join", Expr::list([",".into(), Expr::list([output("db/db2", "url")])]));
        assert!(!codes(&reading(joined)).contains(&"W0308"));
    }
}
