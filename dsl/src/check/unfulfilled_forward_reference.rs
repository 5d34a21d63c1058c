//! W0102: a forward reference is used but never fulfilled.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A forward reference is read, but nothing supplies its value, so whatever reads it would wait forever.
    ///
    /// `t.later` makes a forward reference, a `ForwardReference`. `t.fulfil` supplies its value.
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
    /// let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let address = t.later::<String>("address");
    /// let peer = t.on(server).run("peer", Peer::new().other(address));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("peer", peer.address)), "W0102"));
    /// ```
    ///
    /// Fulfil the forward reference:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/peer.sh")]
    /// # struct Peer { #[input] other: String, #[output] address: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let address = t.later::<String>("address");
    /// let peer = t.on(server).run("peer", Peer::new().other(address));
    /// t.fulfil(address, "10.0.0.2");
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("peer", peer.address)), "W0102"));
    /// ```
    CHECK: "W0102", Error, "a forward reference is used but never fulfilled", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let used = &sink.uses().forward_references;
    for ((name, forward), used) in sink.model.forward_references.iter().zip(used) {
        if *used && forward.fulfilled.is_empty() {
            let diagnostic = CHECK
                .diagnostic(format!("the forward reference `{name}` is never fulfilled"))
                .label(&forward.at, "made here; whatever uses it waits forever")
                .help(format!("supply its value with `t.fulfil(...)`: {}", forward.ty.revealed()));
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, forward_reference, text};
    use crate::model::{Model, Type};

    fn forward() -> Sketch {
        Sketch::new().forward_reference("url", Type::STR).export(
            "url",
            Type::STR,
            text(["see ".into(), forward_reference("url")]),
        )
    }

    pub(in crate::check) fn failing() -> Model {
        forward().model
    }

    #[test]
    fn a_fulfilled_forward_reference_is_sound() {
        assert!(codes(&forward().fulfil("url", "http://a/").model).is_empty());
    }
}
