//! W0307: an export under a constant that names another stack.

use super::registry::check;
use super::sink::Sink;

check! {
    /// The constant under which a value is exported names another stack than this one. Whoever imports it would look
    /// there, and wait for ever.
    ///
    /// The stack is named as the function with `#[blueprint]`, unless it says `#[blueprint(name = "...")]`.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// pub const ADDRESS: Export<String> = Export::new("redis-store", "address");
    ///
    /// let t = Topology::new("redis_store");
    /// let exports = Exports::new().entry(ADDRESS, "10.0.0.2");
    /// # assert!(wattle::check::finds(&t.finish(exports), "W0307"));
    /// ```
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// pub const ADDRESS: Export<String> = Export::new("redis_store", "address");
    ///
    /// let t = Topology::new("redis_store");
    /// let exports = Exports::new().entry(ADDRESS, "10.0.0.2");
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0307"));
    /// ```
    CHECK: "W0307", Error, "an export under a constant that names another stack", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (name, export) in &model.exports {
        if let Some(stack) = export.stack.as_ref().filter(|stack| **stack != model.stack) {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "the export `{name}` is declared for the stack `{stack}`, but this is the stack `{}`",
                    model.stack
                ))
                .label(&export.at, format!("importers would look for it in `{stack}`"))
                .help(format!("write `Export::new(\"{}\", \"{name}\")`", model.stack));
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::{Model, Type};

    fn exported(stack: &str) -> Model {
        let mut model = Sketch::new().export("url", Type::STR, "http://x").model;
        model.exports["url"].stack = Some(stack.into());
        model
    }

    pub(in crate::check) fn failing() -> Model {
        exported("elsewhere")
    }

    #[test]
    fn the_own_stack_is_fine() {
        let own = failing().stack.to_string();
        assert!(codes(&exported(&own)).is_empty());
    }
}
