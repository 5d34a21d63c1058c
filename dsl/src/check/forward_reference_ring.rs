//! W0104: forward references are fulfilled only with each other.

use crate::graph::shortest_cycles;
use crate::model::Reference;

use super::registry::check;
use super::sink::Sink;

check! {
    /// Forward references are fulfilled with each other, so none of them ever gets a value.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let inner = t.later::<String>("inner");
    /// let outer = t.later::<String>("outer");
    /// t.fulfil(inner, outer);
    /// t.fulfil(outer, inner);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("outer", outer)), "W0104"));
    /// ```
    ///
    /// Give one of them a value from elsewhere:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let inner = t.later::<String>("inner");
    /// let outer = t.later::<String>("outer");
    /// t.fulfil(inner, "http://inner.example/");
    /// t.fulfil(outer, inner);
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("outer", outer)), "W0104"));
    /// ```
    CHECK: "W0104", Error, "forward references are fulfilled only with each other", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let forward_references = &sink.model.forward_references;
    let (mut ends, mut places) = (Vec::new(), Vec::new());
    for (index, forward) in forward_references.values().enumerate() {
        for binding in &forward.fulfilled {
            for reference in binding.value.references() {
                if let Reference::ForwardReference(other) = reference
                    && let Some(other) = forward_references.get_index_of(other)
                {
                    ends.push((index, other));
                    places.push(&binding.at);
                }
            }
        }
    }
    let name = |forward: usize| forward_references.get_index(forward).map_or("", |(name, _)| name);
    for cycle in shortest_cycles(forward_references.len(), &ends) {
        let mut message = String::new();
        let mut labels = Vec::new();
        for (hop, edge) in cycle.iter().enumerate() {
            let ((from, to), at) = (ends[*edge], places[*edge]);
            let (from, to) = (name(from), name(to));
            if hop == 0 {
                message = match cycle.len() {
                    1 => format!("the forward reference `{from}` is fulfilled with itself"),
                    n => format!("{n} forward references are fulfilled with each other: `{from}` leads back to itself"),
                };
            }
            labels.push((at, format!("`{from}` is fulfilled with `{to}`")));
        }
        let mut diagnostic = CHECK.diagnostic(message).help("fulfil one of them with a value from elsewhere");
        for (at, text) in labels {
            diagnostic = diagnostic.label(at, text);
        }
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, forward_reference};
    use crate::model::{Model, Type};

    fn forward_references() -> Sketch {
        Sketch::new()
            .forward_reference("inner", Type::STR)
            .forward_reference("outer", Type::STR)
            .fulfil("outer", forward_reference("inner"))
    }

    pub(in crate::check) fn failing() -> Model {
        forward_references().fulfil("inner", forward_reference("outer")).model
    }

    #[test]
    fn a_chain_is_sound() {
        let model =
            forward_references().fulfil("inner", "a").export("outer", Type::STR, forward_reference("outer")).model;
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn a_forward_reference_may_not_be_fulfilled_with_itself() {
        let model = Sketch::new().forward_reference("p", Type::STR).fulfil("p", forward_reference("p")).model;
        assert_eq!(codes(&model), ["W0104"]);
    }
}
