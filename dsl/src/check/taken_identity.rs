//! W0205: two things claim the same deployed name.

use std::collections::HashMap;

use crate::analysis::identity::Identities;
use crate::model::{ElementKind, Name, Source};

use super::registry::check;
use super::sink::Sink;

check! {
    /// Two things claim to be what was deployed under one name.
    ///
    /// What was deployed under a name can continue to exist as one thing only. So nothing can be `moved_from` a name
    /// that something else still has, and two things cannot be `moved_from` the same name.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server"));
    /// t.add("database", RawResource::new("OS::Nova::Server").moved_from("db"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0205"));
    /// ```
    ///
    /// Remove or rename the other thing:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("database", RawResource::new("OS::Nova::Server").moved_from("db"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0205"));
    /// ```
    CHECK: "W0205", Error, "two things claim the same deployed name", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    if model.moved.is_empty() {
        return;
    }
    let identities = Identities::of(model);
    let modules = model.modules.iter().map(|(name, module)| (name, identities.of_module(name), &module.at));
    let twice = clashes(sink, ElementKind::Module, modules);
    // Clashes between the contents of modules are reported with the modules.
    let is_apart =
        |name: &Name| !twice.iter().any(|module| name.strip_prefix(&**module).is_some_and(|r| r.starts_with('.')));
    let resources = model.resources.iter().filter(|(name, _)| is_apart(name));
    let resources = resources.map(|(name, resource)| (name, &**identities.resource(name), &resource.at));
    let twice = clashes(sink, ElementKind::Resource, resources);
    let components = model
        .components
        .iter()
        .filter(|(_, component)| is_apart(&component.server) && !twice.contains(&component.server));
    let components = components.map(|(key, component)| (key, &**identities.component(key), &component.at));
    clashes(sink, ElementKind::Component, components);
}

/// Reports things that claim the identity of another, and returns the names of all of them.
fn clashes<'t>(
    sink: &mut Sink<'_, '_>,
    kind: ElementKind,
    things: impl Iterator<Item = (&'t Name, &'t str, &'t Source)>,
) -> Vec<Name> {
    let mut known: HashMap<String, (&Name, &Source)> = HashMap::new();
    let mut found = Vec::new();
    for (name, identity, at) in things {
        let Some((other, place)) = known.insert(identity.to_owned(), (name, at)) else { continue };
        found.extend([name.clone(), other.clone()]);
        let (moved, still) = if **name == *identity { (other, name) } else { (name, other) };
        let (moved_at, still_at) = if **name == *identity { (place, at) } else { (at, place) };
        let diagnostic = CHECK
            .diagnostic(format!("the {kind} `{moved}` cannot be what was deployed as `{identity}`: that is `{still}`"))
            .label(moved_at, format!("declared here to be the {kind} that was deployed as `{identity}`"))
            .label(still_at, "but this one already is")
            .help("use `moved_from` on only one of them, or with the name that each had");
        sink.push(diagnostic);
    }
    found
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, Module, MovedFrom as _, RawResource, Topology};
    use crate::check::testing::{Sketch, codes};
    use crate::model::{ElementKind, Model};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new().server("db").server("database").moved(ElementKind::Resource, "database", "db").model
    }

    struct Pair;
    impl Module for Pair {
        type Outputs = ();
        fn build(self, t: &mut Topology) {
            t.add("left", RawResource::new("OS::Heat::None"));
            t.add("right", RawResource::new("OS::Heat::None"));
        }
    }

    #[test]
    fn two_from_one_are_reported_once() {
        let mut t = Topology::new("demo");
        t.add("a", Pair.moved_from("old"));
        t.add("b", Pair.moved_from("old"));
        assert_eq!(codes(&t.finish(Exports::new())), ["W0205"]);
    }

    #[test]
    fn names_can_be_swapped() {
        let mut t = Topology::new("demo");
        t.add("a", RawResource::new("OS::Heat::None").moved_from("b"));
        t.add("b", RawResource::new("OS::Heat::None").moved_from("a"));
        assert!(codes(&t.finish(Exports::new())).is_empty());
    }
}
