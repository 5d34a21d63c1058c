//! W0502: a value or a file that is too large for the data space.

use crate::model::Source;

use super::place::{self, Place};
use super::registry::check;
use super::sink::Sink;
use super::size::{grouped, of_expression, of_value};

check! {
    /// A recipe's file, a constant or a default is larger than an entry of the data space can be. ZooKeeper accepts
    /// requests of at most 1 MiB.
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
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let everybody = "10.0.0.2 ".repeat(200_000);
    /// let peer = t.on(server).run("peer", Peer::new().other(everybody));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("peer", peer.address)), "W0502"));
    /// ```
    ///
    /// Store it elsewhere, and pass its location:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let peer = t.on(server).run("peer", Peer::new().other("http://files.example/everybody"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("peer", peer.address)), "W0502"));
    /// ```
    CHECK: "W0502", Error, "a value or a file is too large for the data space", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let limit = sink.limits.entry;
    let mut large: Vec<(String, usize, &Source)> = Vec::new();
    for kind in model.declarations.values() {
        for file in &kind.recipe.files {
            large.push((format!("the file `{}` of `{}`", file.path, kind.name), file.content.bytes().len(), &kind.at));
        }
        for (name, input) in &kind.inputs {
            let size = input.default.as_ref().map_or(0, of_value);
            if size > limit {
                large.push((format!("the default of the input `{name}` of `{}`", kind.name), size, &input.at));
            }
        }
    }
    for (name, parameter) in &model.parameters {
        let size = parameter.default.as_ref().map_or(0, of_value);
        if size > limit {
            large.push((format!("the default of the parameter `{name}`"), size, &parameter.at));
        }
    }
    place::each(model, |place, at, value| {
        // Properties stay in the template.
        let size = if let Place::Property { .. } = place { 0 } else { of_expression(value) };
        if size > limit {
            large.push((format!("the value of {place}"), size, at));
        }
    });
    for (what, size, at) in large.into_iter().filter(|(_, size, _)| *size > limit) {
        let diagnostic = CHECK
            .diagnostic(format!(
                "{what} has {} bytes, but an entry of the data space holds at most {}",
                grouped(size),
                grouped(limit)
            ))
            .label(at, "too large for the data space")
            .help("pass its address instead: a URL, or an object in the cloud's object store");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, sound};
    use crate::model::{Content, Model, Type};

    pub(in crate::check) fn failing() -> Model {
        let mut model = sound().model;
        model.declarations["Db2"].recipe.files[0].content = Content::Text("echo \"$port\"\n".repeat(100_000).into());
        model.declarations["Db2"].outputs["url"].dynamic = true;
        model
    }

    #[test]
    fn constants_and_defaults_are_measured() {
        let large = "x".repeat(1_000_001);
        assert_eq!(codes(&sound().export("x", Type::STR, &*large).model), ["W0502"]);
        let mut model = sound().model;
        let port = &mut model.declarations["Db2"].inputs["port"];
        (port.ty, port.default) = (Type::STR, Some(large.into()));
        assert_eq!(codes(&model), ["W0502", "W0108"], "the constant 50000 is no string");
    }

    #[test]
    fn properties_are_not_entries() {
        let large = "x".repeat(300_000);
        assert!(codes(&sound().resource("x", "X").property("x", "y", large).model).is_empty());
    }
}
