//! W0603: a secret is imported from another stack.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A secret is imported from another stack. Secrets do not leave their stack: they are encrypted for the servers of
    /// that stack only, and `seed apply` refuses to import them.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/login.sh")]
    /// struct Login {
    ///     #[input(default = "127.0.0.1")]
    ///     address: String,
    ///     #[input]
    ///     password: Secret<String>,
    ///     #[output]
    ///     digest: String,
    /// }
    ///
    /// pub const PASSWORD: Export<Secret<String>> = Export::new("database", "password");
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let password = t.import(PASSWORD);
    /// let login = t.on(server).run("login", Login::new().password(password));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0603"));
    /// ```
    ///
    /// Have the person who deploys both stacks give the secret to each of them:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/login.sh")]
    /// # struct Login { #[input(default = "::1")] address: String, #[input] password: Secret<String>, #[output] digest: String }
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Password of the owner of the stack `database`.
    ///     #[parameter]
    ///     password: Parameter<Secret<String>>,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0603"));
    /// ```
    CHECK: "W0603", Error, "a secret is imported from another stack", run, only Agents
}

fn run(sink: &mut Sink<'_, '_>) {
    for import in sink.model.imports.iter().filter(|import| import.ty.is_secret()) {
        let (stack, export) = (&import.stack, &import.export);
        let diagnostic = CHECK
            .diagnostic(format!("the export `{export}` of the stack `{stack}` is secret and cannot be imported"))
            .label(&import.at, "a secret cannot leave its stack")
            .help("pass it to both stacks as a `Parameter<Secret<...>>`");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{secret, sound};
    use crate::model::{Expr, Import, Model, Type};

    pub(in crate::check) fn failing() -> Model {
        let mut sketch = sound();
        let (at, ty) = (sketch.at(), secret(Type::STR));
        sketch.model.imports.push(Import { stack: "vault".into(), export: "token".into(), ty, at });
        sketch.export("token", secret(Type::STR), Expr::import("vault", "token")).model
    }
}
