//! W0906: a limit on waiting, which Heat does not enforce.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A component limits how long it waits for its inputs, but the model is lowered for Heat's own agents
    /// (`--lowering heat-native`). Heat starts the component when its inputs are there. It gives up only with the whole
    /// stack, at the stack's timeout. A `deadline`, which limits the run itself, is enforced.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/web.sh", wait = "10m")]
    /// struct Web {
    ///     #[input(default = 80)]
    ///     port: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0906"));
    /// ```
    ///
    /// Limit the run instead, and choose the timeout of the stack when you create it, with
    /// `openstack stack create --timeout MINUTES`:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/web.sh", deadline = "10m")]
    /// struct Web {
    ///     #[input(default = 80)]
    ///     port: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0906"));
    /// ```
    CHECK: "W0906", Warning, "a limit on waiting, which Heat does not enforce", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values() {
        let Some(wait) = kind.wait else { continue };
        let diagnostic = CHECK
            .diagnostic(format!(
                "`{}` should wait at most {wait} s for its inputs, but Heat waits until the stack's timeout",
                kind.name
            ))
            .label(&kind.at, "Heat ignores this `wait`")
            .help("remove `wait`, and set the stack's timeout when it is created");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::sound;
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        let mut model = sound().model;
        model.declarations["Db2"].wait = Some(600);
        model
    }
}
