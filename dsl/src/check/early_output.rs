//! W0903: an output that would be early, where it comes when its component is done.

use super::registry::check;
use super::sink::Sink;

check! {
    /// An output is declared `early`, and the model is lowered for Heat's own agents, which tell Heat of all outputs when
    /// the component is done. Whoever reads it waits for that: the stack comes up all the same, later.
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
    CHECK: "W0903", Warning, "an early output comes late by Heat's own agents", run, only HeatNative
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
                .help("remove `early` if the stack is only deployed by Heat's own agents");
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
