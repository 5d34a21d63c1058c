//! W0106: a required input is not wired.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A component type requires an input, but a component of that type does not wire it.
    ///
    /// In a blueprint, the compiler reports this. Here it is found in a model that was read from a file.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let peer = t.on(server).run("peer", Peer::new().other("10.0.0.2"));
    /// # let mut model = t.finish(Exports::new().entry("peer", peer.address));
    /// # assert!(!wattle::check::finds(&model, "W0106"));
    /// model.components["server/peer"].inputs.shift_remove("other");
    /// # assert!(wattle::check::finds(&model, "W0106"));
    /// ```
    ///
    /// Wire the input, or give it a default in the declaration of the component type:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/peer.sh")]
    /// struct Peer {
    ///     #[input(default = "127.0.0.1")]
    ///     other: String,
    ///     #[output]
    ///     address: String,
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let peer = t.on(server).run("peer", Peer::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("peer", peer.address)), "W0106"));
    /// ```
    CHECK: "W0106", Error, "a required input is not wired", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (key, component, kind) in sink.components() {
        for (name, input) in kind.into_iter().flat_map(|kind| &kind.inputs) {
            if input.required && input.default.is_none() && !component.inputs.contains_key(name) {
                let diagnostic = CHECK
                    .diagnostic(format!("the input `{name}` of `{key}` is not wired"))
                    .label(&component.at, format!("`{key}` runs here without it"))
                    .label(&input.at, format!("`{}` requires it here", component.declaration))
                    .help(format!("wire `{name}` to {}, or give it a default", input.ty.revealed()));
                sink.push(diagnostic);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::{Model, Type};

    fn unwired() -> Sketch {
        Sketch::new().server("db").kind("Web", &[("port", Type::FLOAT)], &[]).component("db", "web", "Web")
    }

    pub(in crate::check) fn failing() -> Model {
        unwired().model
    }

    #[test]
    fn a_default_will_do() {
        let mut model = unwired().model;
        model.declarations["Web"].inputs["port"].default = Some(80.into());
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn an_optional_input_may_be_absent() {
        let mut model = unwired().model;
        model.declarations["Web"].inputs["port"].required = false;
        assert!(codes(&model).is_empty());
    }
}
