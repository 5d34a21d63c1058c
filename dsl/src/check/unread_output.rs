//! W0701: an output that is never read.

use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A component type declares an output that nothing in the model reads from any of its components.
    ///
    /// Inputs, forward references and exports count as readers. An output is reported once for each component type, no
    /// matter how many components have that type. Component types of libraries are not checked.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/web.sh")]
    /// struct Web {
    ///     #[input(default = 80)]
    ///     port: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// t.on(server).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0701"));
    /// ```
    ///
    /// Read the output, export it, or remove it from the declaration:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new());
    /// let exports = Exports::new().entry("url", web.url);
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0701"));
    /// ```
    CHECK: "W0701", Warning, "an output that is never read", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let uses = sink.uses();
    let mut first = vec![None; model.declarations.len()];
    for ((key, component), kind) in model.components.iter().zip(&uses.kinds) {
        if let Some(kind) = kind {
            first[*kind].get_or_insert((key, component));
        }
    }
    for ((kind, read), first) in model.declarations.values().zip(&uses.outputs).zip(first) {
        let Some((key, component)) = first.filter(|_| is_own(&kind.at)) else { continue };
        for ((name, output), _) in kind.outputs.iter().zip(read).filter(|(_, read)| !**read) {
            let diagnostic = CHECK
                .diagnostic(format!("the output `{name}` of `{}` is never read", kind.name))
                .label(&output.at, "declared here")
                .label(&component.at, format!("`{key}` writes it, but nothing reads it"))
                .help("read it, export it, or remove it from the declaration");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, output, sound};
    use crate::model::{Model, Source, Type};

    pub(in crate::check) fn failing() -> Model {
        let mut model = sound().component("db", "again", "Db2").input("db/again", "port", 1).model;
        model.exports.clear();
        model
    }

    #[test]
    fn inputs_and_forward_references_read() {
        let mut input = sound().kind("Web", &[("url", Type::URI)], &[]).component("db", "web", "Web");
        input.model.exports.clear();
        assert!(codes(&input.input("db/web", "url", output("db/db2", "url")).model).is_empty());

        let mut forward = sound().forward_reference("p", Type::URI).fulfil("p", output("db/db2", "url"));
        forward.model.exports.clear();
        assert_eq!(codes(&forward.model), ["W0704"], "the forward reference is what nobody reads");
    }

    #[test]
    fn kinds_of_libraries_are_not_judged() {
        let mut model = failing();
        let fetched = "/home/ann/.cargo/registry/src/index.example-1949cf8c6b5b557f/db2-1.0.0/src/lib.rs";
        for library in [fetched, "/home/ann/wattle/catalog/src/parts/redis.rs", r"C:\wattle\catalog\src\lib.rs"] {
            model.declarations["Db2"].at = Source::new(library, 1, 1);
            assert!(codes(&model).is_empty(), "{library}");
        }
    }
}
