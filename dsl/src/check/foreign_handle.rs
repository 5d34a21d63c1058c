//! W0301: a handle of another topology is used.

use crate::model::{Diagnostic, Reference, Source};

use super::registry::check;
use super::sink::Sink;
use super::unknown_name::FOREIGN;

check! {
    /// A handle from one topology is used in another topology, where it refers to nothing.
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
    /// To read what another stack has created, import one of its exports. What this stack needs for itself, add to this
    /// topology:
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
    "a handle belongs to the topology that returned it; export the value there and `t.import(...)` it here";

/// The most places that are shown.
const SHOWN: usize = 8;

/// One use of a handle of another topology.
struct Found<'m> {
    message: String,
    at: &'m Source,
    label: &'static str,
    help: &'static str,
}

fn run(sink: &mut Sink<'_, '_>) {
    let mut found = found(sink);
    found.sort_by(|one, other| one.at.cmp(other.at));
    found.dedup_by(|one, other| one.message == other.message && one.at == other.at);
    let Some(first) = found.first() else { return };
    if found.len() == 1 {
        sink.push(CHECK.diagnostic(&*first.message).label(first.at, first.label).help(first.help));
        return;
    }
    // Mixing up two topologies is a single mistake, wherever it shows.
    let mut diagnostic = CHECK.diagnostic(format!("handles of another topology are used {} times", found.len()));
    for Found { message, at, .. } in found.iter().take(SHOWN) {
        diagnostic = diagnostic.label(at, &**message);
    }
    if found.len() > SHOWN {
        diagnostic = diagnostic.note(format!("not shown: {} more, after these", found.len() - SHOWN));
    }
    sink.push(diagnostic.help(HELP));
}

fn found<'m>(sink: &Sink<'_, 'm>) -> Vec<Found<'m>> {
    let mut found = Vec::new();
    let label = "this handle belongs to another topology";
    for used in &sink.uses().foreign {
        let Reference::Foreign { what } = used.reference else { continue };
        // A forward reference of another topology, fulfilled here, is stored under a generated name.
        let message = match used.place {
            super::place::Place::ForwardReference(name) if name.starts_with("forward-reference#") => {
                "a forward reference of another topology is fulfilled here".to_owned()
            }
            place => format!("{place} is given {} {what} of another topology", article(what)),
        };
        found.push(Found { message, at: used.at, label, help: HELP });
    }
    for (name, resource) in &sink.model.resources {
        if resource.depends_on.iter().any(|other| **other == *FOREIGN) {
            let message = format!("`{name}` depends on a resource of another topology");
            let help = "a handle belongs to the topology that returned it";
            found.push(Found { message, at: &resource.at, label: "this resource", help });
        }
    }
    for (key, component) in sink.model.components.iter().filter(|(_, component)| &*component.server == FOREIGN) {
        let name = key.rsplit_once('/').map_or(&**key, |(_, name)| name);
        let message = format!("`{name}` runs on a server of another topology");
        found.push(Found { message, at: &component.at, label, help: "add the server to this topology" });
    }
    for after in &sink.model.after {
        if [&after.component, &after.predecessor].into_iter().any(|name| &**name == FOREIGN) {
            let message = "an order refers to a component of another topology".to_owned();
            found.push(Found { message, at: &after.at, label, help: HELP });
        }
    }
    found
}

/// Removes generated names from a diagnostic: a component on a server of another topology is shown by its own name alone.
pub(super) fn shown(mut diagnostic: Diagnostic) -> Diagnostic {
    let ours = format!("{FOREIGN}/");
    let labels = diagnostic.labels.iter_mut().map(|label| &mut label.text);
    let texts =
        [&mut diagnostic.message].into_iter().chain(labels).chain(&mut diagnostic.notes).chain(&mut diagnostic.help);
    for text in texts.filter(|text| text.contains(FOREIGN)) {
        *text = text.replace(&ours, "").replace(&format!("`{FOREIGN}`"), "a part of another topology");
    }
    diagnostic
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::check::testing::{codes, foreign, output, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().export("x", Type::STR, foreign("output")).model
    }

    #[test]
    fn components_orders_and_forward_references_are_looked_at() {
        let component = sound().kind("K", &[], &[]).component("#foreign", "k", "K");
        assert_eq!(codes(&component.model), ["W0301"]);
        assert_eq!(codes(&sound().after("db/db2", "#foreign").model), ["W0301"]);

        let forward = Topology::new("other").later::<String>("p");
        let mut t = Topology::new("demo");
        t.fulfil(forward, "x");
        assert_eq!(codes(&t.finish(Exports::new())), ["W0301"]);
    }

    #[test]
    fn no_name_of_ours_is_shown() {
        let fit = [("port", Type::integer(0, 65_535)), ("name", Type::STR)];
        let sketch = sound().kind("K", &fit, &[("out", Type::STR)]).component("#foreign", "k", "K");
        let sketch = sketch.input("#foreign/k", "port", "x").input("db/db2", "port", output("#foreign/k", "out"));
        let found = crate::check::check(&sketch.after("#foreign/k", "nobody").model, &crate::check::Limits::default());
        assert!(found.len() > 1, "{found:?}");
        assert!(!format!("{found:?}").contains("#foreign"), "{found:#?}");
    }

    #[test]
    fn many_uses_are_one_mistake() {
        let mut other = Topology::new("other");
        let net = other.add("net", RawResource::new("OS::Neutron::Net"));
        let mut t = Topology::new("demo");
        for number in 0..3 {
            t.add(format!("port{number}"), RawResource::new("OS::Neutron::Port").property("network", net));
        }
        let router = RawResource::new("OS::Neutron::Router").property("external_gateway_info", [("network", net)]);
        t.add("router", router);
        let found = crate::check::check(&t.finish(Exports::new()), &crate::check::Limits::default());
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.code, &*one.message), ("W0301", "handles of another topology are used 4 times"));
        assert_eq!(one.labels[0].text, "the property `network` of `port0` is given a resource of another topology");
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
