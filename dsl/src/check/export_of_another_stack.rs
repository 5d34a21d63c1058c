//! W0307: an export whose constant names another stack.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A value is exported under a constant that names a different stack. A stack that imports the constant would look
    /// in the stack that it names, and wait forever.
    ///
    /// A stack has the name of its `#[blueprint]` function, unless the attribute gives another one:
    /// `#[blueprint(name = "...")]`.
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
    /// Name this stack in the constant:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// pub const ADDRESS: Export<String> = Export::new("redis_store", "address");
    ///
    /// let t = Topology::new("redis_store");
    /// let exports = Exports::new().entry(ADDRESS, "10.0.0.2");
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0307"));
    /// ```
    CHECK: "W0307", Error, "an export whose constant names another stack", run
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
