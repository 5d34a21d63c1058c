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
    let promises = &sink.model.promises;
    let (mut ends, mut places) = (Vec::new(), Vec::new());
    for (index, promise) in promises.values().enumerate() {
        for binding in &promise.fulfilled {
            for reference in binding.value.references() {
                if let Reference::Promise(other) = reference
                    && let Some(other) = promises.get_index_of(other)
                {
                    ends.push((index, other));
                    places.push(&binding.at);
                }
            }
        }
    }
    let name = |promise: usize| promises.get_index(promise).map_or("", |(name, _)| name);
    for cycle in shortest_cycles(promises.len(), &ends) {
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
    use crate::check::testing::{Sketch, codes, promise};
    use crate::model::{Model, Type};

    fn promises() -> Sketch {
        Sketch::new().promise("inner", Type::STR).promise("outer", Type::STR).fulfil("outer", promise("inner"))
    }

    pub(in crate::check) fn failing() -> Model {
        promises().fulfil("inner", promise("outer")).model
    }

    #[test]
    fn a_chain_is_sound() {
        let model = promises().fulfil("inner", "a").export("outer", Type::STR, promise("outer")).model;
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn a_promise_may_not_be_fulfilled_with_itself() {
        let model = Sketch::new().promise("p", Type::STR).fulfil("p", promise("p")).model;
        assert_eq!(codes(&model), ["W0104"]);
    }
}
