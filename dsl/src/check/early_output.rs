//! W0903: an early output that heat-agents report late.

use super::registry::check;
use super::sink::Sink;

check! {
    /// An output is declared `early`, but the model is lowered for Heat's own agents (`--lowering heat-native`). They
    /// report all outputs to Heat when the component is done, so whatever reads the output waits until then. The stack
    /// still comes up, but later.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # let mut model = t.finish(Exports::new().entry("url", web.url));
    /// // #[output(early)]
    /// // url: String,
    /// # for kind in model.declarations.values_mut() {
    /// #     kind.outputs["url"].early = true;
    /// # }
    /// # assert!(wattle::check::finds(&model, "W0903"));
    /// ```
    ///
    /// If the stack is only deployed this way, leave `early` out:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # let model = t.finish(Exports::new().entry("url", web.url));
    /// // #[output]
    /// // url: String,
    /// # assert!(!wattle::check::finds(&model, "W0903"));
    /// ```
    CHECK: "W0903", Warning, "an early output that heat-agents report late", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values() {
        for (name, output) in kind.outputs.iter().filter(|(_, output)| output.early) {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "the output `{name}` of `{}` is published when the component is done, not early",
                    kind.name
                ))
                .label(&output.at, "Heat publishes all outputs at the end")
                .help("remove `early` if only Heat's own agents deploy the stack");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::sound;
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        let mut model = sound().model;
        model.declarations["Db2"].outputs["url"].early = true;
        model
    }
}
