//! W0206: a `moved_from` that has no effect.

use crate::analysis::identity::Identities;
use crate::model::{ElementKind, FormerName};

use super::registry::check;
use super::sink::Sink;

check! {
    /// `moved_from` gives the name that the thing would be deployed under anyway.
    ///
    /// `moved_from` preserves what was deployed when it gets another name or moves into a module. Here it changes
    /// nothing. Perhaps it was meant for something else: when a module is moved, everything in it moves along, and
    /// needs no `moved_from` of its own.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").moved_from("db"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0206"));
    /// ```
    ///
    /// Leave it out:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0206"));
    /// ```
    CHECK: "W0206", Warning, "a `moved_from` that has no effect", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    if model.moved.is_empty() {
        return;
    }
    let identities = Identities::of(model);
    for (at, moved) in model.moved.iter().enumerate() {
        // A component that ran on another server has its own message.
        if moved.kind == ElementKind::Component
            && moved.from.contains('/')
            && moved.from != *identities.component(&moved.name)
        {
            continue;
        }
        let mut without = model.moved.clone();
        without.remove(at);
        let identity = |identities: &Identities| match moved.kind {
            ElementKind::Module => identities.of_module(&moved.name).to_owned(),
            ElementKind::Resource => identities.resource(&moved.name).to_string(),
            _ => identities.component(&moved.name).to_string(),
        };
        if identity(&identities) == identity(&Identities::with(model, &without))
            && is_last(model.moved.as_slice(), moved)
        {
            let diagnostic = CHECK
                .diagnostic(format!("the {} `{}` is moved from the name that it already has", moved.kind, moved.name))
                .label(&moved.at, format!("without this, it is deployed as `{}` as well", identity(&identities)))
                .help("remove it");
            sink.push(diagnostic);
        }
    }
}

/// Whether no later move is declared for the same thing: of several, the last one counts.
fn is_last(all: &[FormerName], one: &FormerName) -> bool {
    all.iter().filter(|moved| moved.kind == one.kind && moved.name == one.name).count() == 1
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, Module, MovedFrom as _, RawResource, Topology};
    use crate::check::testing::{Sketch, codes};
    use crate::model::{ElementKind, Model};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new().server("db").moved(ElementKind::Resource, "db", "db").model
    }

    #[test]
    fn what_goes_with_its_module_needs_no_words() {
        struct One(&'static str);
        impl Module for One {
            type Outputs = ();
            fn build(self, t: &mut Topology) {
                t.add("part", RawResource::new("OS::Heat::None").moved_from(self.0));
            }
        }
        let of = |from| {
            let mut t = Topology::new("demo");
            t.add("new", One(from).moved_from("old"));
            codes(&t.finish(Exports::new()))
        };
        assert_eq!(of("old.part"), ["W0206"]);
        assert_eq!(of(".part"), ["W0206"]);
        assert!(of("new.part").is_empty() && of(".piece").is_empty());
    }
}
