//! W0709: a component or resource that is never added.

use crate::model::ElementKind;

use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A component or a resource is described but never added to the topology, so no server runs the component, and
    /// Heat never creates the resource.
    ///
    /// Each place in the source is reported once, and only if nothing that was described there was added. Libraries are
    /// not checked.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/greet.sh")]
    /// struct Greeter {
    ///     #[input]
    ///     name: String,
    ///     #[output]
    ///     greeting: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// let greeter = Greeter::new().name("world");
    /// # drop(greeter);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0709"));
    /// ```
    ///
    /// Add it:
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/greet.sh")]
    /// # struct Greeter { #[input] name: String, #[output] greeting: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let greeter = Greeter::new().name("world");
    /// t.on(server).run("greeter", greeter);
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0709"));
    /// ```
    ///
    /// If only some configurations need a component or a resource, describe it where it is added, or where that is
    /// decided.
    CHECK: "W0709", Warning, "a component or resource that is never added", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for unused in &sink.model.unused {
        if !is_own(&unused.at) {
            continue;
        }
        let ty = &unused.ty;
        let (message, help) = if unused.kind == ElementKind::Component {
            (format!("no server runs this `{ty}`"), "run it: `t.on(server).run(name, component)`, or remove it")
        } else {
            (
                format!("this resource of the type `{ty}` is never added"),
                "add it: `t.add(name, resource)`, or remove it",
            )
        };
        sink.push(CHECK.diagnostic(message).label(&unused.at, "started here").help(help));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::check::testing::{codes, sound};
    use crate::model::{ElementKind, Model, Source, Unused};

    pub(in crate::check) fn failing() -> Model {
        let mut sketch = sound();
        let at = sketch.at();
        sketch.model.unused.push(Unused { kind: ElementKind::Component, ty: "Db2".into(), at });
        sketch.model
    }

    fn built(build: impl FnOnce(&mut Topology)) -> Vec<Unused> {
        let mut t = Topology::new("demo");
        build(&mut t);
        t.finish(Exports::new()).unused
    }

    fn net() -> RawResource {
        RawResource::new("OS::Neutron::Net")
    }

    #[test]
    fn libraries_are_not_judged() {
        let mut model = failing();
        model.unused[0].at = Source::new("/home/ann/.cargo/registry/src/x/shop-1.0.0/src/lib.rs", 1, 1);
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn what_is_dropped_is_noted_once_for_its_place() {
        let unused = built(|_| (0..3).for_each(|_| drop(RawResource::new("OS::Neutron::Net"))));
        let [Unused { kind: ElementKind::Resource, ty, at }] = &*unused else { panic!("{unused:?}") };
        assert_eq!(&**ty, "OS::Neutron::Net");
        assert!(at.file.ends_with("unused_part.rs"), "{at:?}");
    }

    #[test]
    fn a_place_from_which_one_was_added_is_right() {
        let unused = built(|t| {
            for number in 0..3 {
                let net = net();
                if number == 1 {
                    t.add("net", net);
                }
            }
        });
        assert_eq!(unused, []);
    }

    #[test]
    fn each_topology_has_its_own() {
        let outer = Topology::new("outer");
        assert_eq!(built(|_| drop(net())).len(), 1);
        let other = Topology::new("other");
        drop(other);
        drop(RawResource::new("Our::Wall"));
        let unused = outer.finish(Exports::new()).unused;
        assert_eq!(unused.iter().map(|unused| &*unused.ty).collect::<Vec<_>>(), ["Our::Wall"]);
        drop(net());
    }
}
