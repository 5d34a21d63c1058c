//! W0704: a forward reference that is never read.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A forward reference is made, but nothing reads it.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let url = t.later::<String>("url");
    /// t.fulfil(url, "http://a.example/");
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0704"));
    /// ```
    ///
    /// Read it, or remove it:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let url = t.later::<String>("url");
    /// t.fulfil(url, "http://a.example/");
    /// let exports = Exports::new().entry("url", url);
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0704"));
    /// ```
    CHECK: "W0704", Warning, "a forward reference that is never read", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let used = &sink.uses().forward_references;
    for ((name, forward), _) in sink.model.forward_references.iter().zip(used).filter(|(_, used)| !**used) {
        // A forward reference of another topology, fulfilled here, is stored under a generated name.
        if name.starts_with("forward-reference#") {
            continue;
        }
        let mut diagnostic =
            CHECK.diagnostic(format!("the forward reference `{name}` is never read")).label(&forward.at, "made here");
        if forward.fulfilled.is_empty() {
            diagnostic = diagnostic.note("it is never fulfilled either");
        }
        sink.push(diagnostic.help("read it, or remove it"));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().forward_reference("p", Type::STR).fulfil("p", "x").model
    }

    #[test]
    fn a_forward_reference_that_nobody_fulfils_or_reads_is_no_error() {
        assert_eq!(codes(&Sketch::new().forward_reference("p", Type::STR).model), ["W0704"]);
    }
}
