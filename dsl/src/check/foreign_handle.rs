//! W0301: a handle of another topology.

use crate::model::Reference;

use super::registry::check;
use super::sink::Sink;
use super::unknown_name::FOREIGN;

check! {
    /// A handle that one topology gave out is used in another, where it stands for nothing.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut other = Topology::new("other");
    /// # let mut t = Topology::new("demo");
    /// let net = other.add("net", RawResource::new("OS::Neutron::Net"));
    /// t.add("port", RawResource::new("OS::Neutron::Port").property("network", net));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0301"));
    /// ```
    ///
    /// What another stack made is read from its exports; what this one needs itself, it adds itself:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// t.add("port", RawResource::new("OS::Neutron::Port").property("network", net));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0301"));
    /// ```
    CHECK: "W0301", Error, "a handle of another topology is used", run
}

const HELP: &str =
    "handles belong to the topology that gave them out; export the value there and `t.import(...)` it here";

fn run(sink: &mut Sink<'_, '_>) {
    for used in &sink.uses().foreign {
        let Reference::Foreign { what } = used.reference else { continue };
        // A promise of another topology, fulfilled here, is kept under a name that nobody gave it.
        let message = match used.place {
            super::place::Place::Promise(name) if name.starts_with("promise#") => {
                "a promise of another topology is fulfilled here".to_owned()
            }
            place => format!("{place} is given {} {what} of another topology", article(what)),
        };
        sink.push(CHECK.diagnostic(message).label(used.at, "this handle is not of this topology").help(HELP));
    }
    for (name, resource) in &sink.model.resources {
        if resource.depends_on.iter().any(|other| **other == *FOREIGN) {
            let diagnostic = CHECK
                .diagnostic(format!("`{name}` depends on a resource of another topology"))
                .label(&resource.at, "this resource")
                .help("handles belong to the topology that gave them out");
            sink.push(diagnostic);
        }
    }
    for (key, component) in sink.model.components.iter().filter(|(_, component)| &*component.server == FOREIGN) {
        let name = key.rsplit_once('/').map_or(&**key, |(_, name)| name);
        let diagnostic = CHECK
            .diagnostic(format!("`{name}` runs on a server of another topology"))
            .label(&component.at, "this handle is not of this topology")
            .help("add the server to this topology");
        sink.push(diagnostic);
    }
    for after in &sink.model.after {
        if [&after.component, &after.predecessor].into_iter().any(|name| &**name == FOREIGN) {
            let diagnostic = CHECK
                .diagnostic("an order is given to a component of another topology")
                .label(&after.at, "this handle is not of this topology")
                .help(HELP);
            sink.push(diagnostic);
        }
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::check::testing::{codes, foreign, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().export("x", Type::STR, foreign("output")).model
    }

    #[test]
    fn components_orders_and_promises_are_looked_at() {
        let component = sound().kind("K", &[], &[]).component("#foreign", "k", "K");
        assert_eq!(codes(&component.model), ["W0301"]);
        assert_eq!(codes(&sound().after("db/db2", "#foreign").model), ["W0301"]);

        let promise = Topology::new("other").later::<String>("p");
        let mut t = Topology::new("demo");
        t.fulfil(promise, "x");
        assert_eq!(codes(&t.finish(Exports::new())), ["W0301"]);
    }

    #[test]
    fn a_handle_never_means_something_else() {
        let net = Topology::new("other").add("net", RawResource::new("OS::Neutron::Net"));
        let mut t = Topology::new("demo");
        t.add("mine", RawResource::new("OS::Neutron::Net"));
        t.add("port", RawResource::new("OS::Neutron::Port").property("network", net));
        assert_eq!(codes(&t.finish(Exports::new())), ["W0301"]);
    }
}
