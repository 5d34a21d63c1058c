//! W0901: a value of another stack, which heat-agents cannot read.

use crate::model::Reference;

use super::place::{self, Place};
use super::registry::check;
use super::sink::Sink;

check! {
    /// A value of another stack is imported, but the model is lowered for Heat's own agents (`--lowering heat-native`).
    ///
    /// Stacks read each other's exports from the data space, and Heat's agents have no data space. Heat has no function
    /// that reads an output of another stack.
    ///
    /// ```
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
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let name = t.import(Export::<String>::new("people", "name"));
    /// let greeter = t.on(server).run("greeter", Greeter::new().name(name));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("greeting", greeter.greeting)), "W0901"));
    /// ```
    ///
    /// Replace the import by a parameter, whose value is given when the stack is deployed:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/greet.sh")]
    /// # struct Greeter { #[input] name: String, #[output] greeting: String }
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Output `name` of the stack `people`.
    ///     #[parameter]
    ///     name: Parameter<String>,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let greeter = t.on(server).run("greeter", Greeter::new().name(p.name));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("greeting", greeter.greeting)), "W0901"));
    /// ```
    CHECK: "W0901", Error, "a value of another stack, which heat-agents cannot read", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    place::each(model, |place, at, value| {
        for reference in value.references() {
            let Reference::Import { stack, export } = reference else { continue };
            // Nothing checks a requirement on it in any case: W0910.
            if matches!(place, Place::Requirement(_)) {
                return;
            }
            let diagnostic = CHECK
                .diagnostic(format!("{place} reads the export `{export}` of the stack `{stack}`, which Heat cannot do"))
                .label(at, "there is no data space to read it from")
                .help("make it a parameter, and pass that stack's output when this one is deployed");
            sink.push(diagnostic);
        }
    });
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, output};
    use crate::model::{Expr, Import, Model, Type};

    pub(in crate::check) fn failing() -> Model {
        let mut sketch = Sketch::new();
        let at = sketch.at();
        sketch.model.imports.push(Import { stack: "shop".into(), export: "url".into(), ty: Type::URI, at });
        sketch
            .server("web")
            .kind("Web", &[("shop", Type::URI)], &[("url", Type::URI)])
            .component("web", "web", "Web")
            .input("web/web", "shop", Expr::import("shop", "url"))
            .export("url", Type::URI, output("web/web", "url"))
            .model
    }
}
