//! W0905: a secret output, which Heat keeps in the clear.

use super::registry::check;
use super::sink::Sink;

check! {
    /// An output is secret, but the model is lowered for Heat's own agents (`--lowering heat-native`). Heat keeps
    /// outputs as they are, and shows them to anyone who may see the stack's deployments. In a data space, they would
    /// be sealed for their readers.
    ///
    /// This is only a warning, because the stack works, and because Heat does not treat secret inputs any better:
    /// `hidden` keeps a parameter out of what Heat shows of a stack, but not out of what it shows of a deployment.
    /// However, the person who deploys the stack chose those inputs, and knows about them.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::Type;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # t.on(server).run("web", Web::new());
    /// # let mut model = t.finish(Exports::new());
    /// // #[output]
    /// // token: Secret<String>,
    /// # for kind in model.declarations.values_mut() {
    /// #     kind.outputs["url"].ty = Type::Hidden(Box::new(Type::STR));
    /// # }
    /// # assert!(wattle::check::finds(&model, "W0905"));
    /// ```
    ///
    /// Use a parameter instead. A secret that is chosen at deployment needs no output:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # t.on(server).run("web", Web::new());
    /// # let model = t.finish(Exports::new());
    /// // #[parameter]
    /// // token: Parameter<Secret<String>>,
    /// # assert!(!wattle::check::finds(&model, "W0905"));
    /// ```
    CHECK: "W0905", Warning, "a secret output, which Heat keeps in the clear", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values() {
        for (name, output) in kind.outputs.iter().filter(|(_, output)| output.ty.is_secret()) {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "the output `{name}` of `{}` is secret, but Heat stores it in readable form",
                    kind.name
                ))
                .label(&output.at, "everyone who may see the stack's deployments can read it")
                .help("make it a secret parameter, which is chosen at deployment");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, output, secret};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new()
            .server("db")
            .kind("Maker", &[], &[("token", secret(Type::STR))])
            .kind("User", &[("token", secret(Type::STR))], &[])
            .component("db", "maker", "Maker")
            .component("db", "user", "User")
            .input("db/user", "token", output("db/maker", "token"))
            .model
    }
}
