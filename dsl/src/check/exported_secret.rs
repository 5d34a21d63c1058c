//! W0904: a secret export, where an export is an output of the stack.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A secret is exported, but the model is lowered for Heat's own agents (`--lowering heat-native`). The export
    /// would become an output of the stack, which Heat shows to anyone who may see the stack.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Password of the database owner.
    ///     #[parameter]
    ///     password: Parameter<Secret<String>>,
    /// }
    ///
    /// pub const PASSWORD: Export<Secret<String>> = Export::new("demo", "password");
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let exports =
    /// Exports::new().entry(PASSWORD, p.password)
    /// # ;
    /// # assert!(wattle::check::finds(&t.finish(exports), "W0904"));
    /// ```
    ///
    /// Do not export the secret. The person who chose it can give it to those who need it:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// # let exports =
    /// Exports::new().entry("user", "shop")
    /// # ;
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0904"));
    /// ```
    CHECK: "W0904", Error, "a secret export, which Heat would show", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, export) in sink.model.exports.iter().filter(|(_, export)| export.ty.is_secret()) {
        let diagnostic = CHECK
            .diagnostic(format!("the export `{name}` is secret, but Heat would show it as an output of the stack"))
            .label(&export.at, "everyone who may see the stack can read it there")
            .help("remove the export, and pass the secret on in another way");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{parameter, secret, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound()
            .parameter("password", secret(Type::STR))
            .export("password", secret(Type::STR), parameter("password"))
            .model
    }
}
