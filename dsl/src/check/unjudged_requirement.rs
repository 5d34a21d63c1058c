//! W0804: a requirement that no agent can check.

use crate::model::Name;
use crate::names::list;
use crate::requirement;

use super::registry::check;
use super::sink::Sink;

check! {
    /// A requirement is about values that exist only at run time, but no component reads all of them. Such a
    /// requirement is checked by the agent of each component that reads all of the values, before the component runs.
    /// Without such a component, nothing would check it.
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
    /// # let [one, two] = ["one", "two"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// let first = t.on(one).run("peer", Peer::new().other("none"));
    /// let second = t.on(two).run("peer", Peer::new().other(first.address));
    /// t.require("two addresses", second.address.is_not(first.address));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("address", second.address)), "W0804"));
    /// ```
    ///
    /// Let one component read all of the values:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let [one, two, three] = ["one", "two", "three"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// # let first = t.on(one).run("peer", Peer::new().other("none"));
    /// let second = t.on(two).run("peer", Peer::new().other(first.address));
    /// let third = t.on(three).run("peer", Peer::new().other(text!("{},{}", first.address, second.address)));
    /// t.require("two addresses", second.address.is_not(first.address));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("address", third.address)), "W0804"));
    /// ```
    CHECK: "W0804", Error, "a requirement that no agent can check", run, only Agents
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (name, components) in requirement::readers(model) {
        let requirement = &model.requirements[name];
        let is_unknown = sink.uses().unknown.iter().chain(&sink.uses().foreign).any(|used| used.at == &requirement.at);
        if !components.is_empty() || is_unknown {
            continue;
        }
        let read = requirement::run_time(model, &requirement.predicate);
        let all = list(read.iter().map(String::as_str), "and");
        let what = if read.len() == 1 {
            ""
        } else if read.len() == 2 {
            "both "
        } else {
            "all of "
        };
        let diagnostic = CHECK
            .diagnostic(format!("nothing checks the requirement `{name}`: no component reads {what}{all}"))
            .label(&requirement.at, "known only at run time, to the components that read it")
            .note("a requirement is checked by the agent of each component that reads all of its values")
            .help("wire them to inputs of one component, or require something of each value separately");
        sink.push(diagnostic);
    }
}

/// The values that are known only at run time, as a message lists them.
pub(super) fn run_time_values(sink: &Sink<'_, '_>, name: &Name) -> String {
    let requirement = &sink.model.requirements[name];
    let read = requirement::run_time(sink.model, &requirement.predicate);
    list(read.iter().map(String::as_str), "and")
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::broken_requirement::tests::tested;
    use crate::check::testing::{attribute, codes, forward_reference, output, sound};
    use crate::model::{Model, Test, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().require("url", tested(output("db/db2", "url"), Test::Matches("jdbc:.*".into()))).model
    }

    #[test]
    fn somebody_who_reads_all_of_it_judges_it() {
        let reads = |value| {
            let sketch = sound().kind("Web", &[("url", Type::Any)], &[]).component("db", "web", "Web");
            sketch.input("db/web", "url", value)
        };
        let url = || tested(output("db/db2", "url"), Test::Matches("jdbc:.*".into()));
        assert!(codes(&reads(output("db/db2", "url")).require("url", url()).model).is_empty());
        let both = tested(output("db/db2", "url"), Test::IsNot(attribute("db", "name")));
        assert_eq!(codes(&reads(output("db/db2", "url")).require("both", both).model), ["W0804"]);
        let forward =
            reads(forward_reference("p")).forward_reference("p", Type::URI).fulfil("p", output("db/db2", "url"));
        assert!(codes(&forward.require("url", url()).model).is_empty());
    }
}
