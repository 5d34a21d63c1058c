//! W0108: a value does not match the expected type.

use super::flow::Misfit;
use super::place::Place;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A value does not match the type of the input, forward reference or export that it is given to, or a default does
    /// not match the type of its own input.
    ///
    /// The compiler reports most of these mistakes. This check finds those that the compiler cannot see: text that is
    /// not a valid address or URL, and mistakes in models that were read from a file.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// const HOST: &str = "10.0.0.256";
    ///
    /// #[component(recipe = "src/check/examples/login.sh")]
    /// struct Login {
    ///     #[input(default = HOST)]
    ///     address: IpAddr,
    ///     #[input]
    ///     password: Secret<String>,
    ///     #[output]
    ///     digest: String,
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let login = t.on(server).run("login", Login::new().password(Secret::new(String::new())));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0108"));
    /// ```
    ///
    /// Give a value of the right type:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// const HOST: &str = "10.0.0.25";
    ///
    /// #[component(recipe = "src/check/examples/login.sh")]
    /// struct Login {
    ///     #[input(default = HOST)]
    ///     address: IpAddr,
    ///     #[input]
    ///     password: Secret<String>,
    ///     #[output]
    ///     digest: String,
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let login = t.on(server).run("login", Login::new().password(Secret::new(String::new())));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0108"));
    /// ```
    CHECK: "W0108", Error, "a value does not match the expected type", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for Misfit { place, at, target, ty, why } in &sink.flows().misfits {
        let mut diagnostic = CHECK.diagnostic(format!("{place} cannot take this value: {why}")).label(at, why);
        if !matches!(place, Place::Export(_)) {
            diagnostic = diagnostic.label(target, format!("declared here as {ty}"));
        }
        sink.push(diagnostic.help(format!("give it {}", ty.revealed())));
    }
    for kind in sink.model.declarations.values() {
        for (name, input) in &kind.inputs {
            if let Some(why) = input.default.as_ref().and_then(|default| input.ty.refuse(default)) {
                let why = if input.ty.is_secret() { format!("it is not {}", input.ty.revealed()) } else { why };
                let diagnostic = CHECK
                    .diagnostic(format!("the default of the input `{name}` of `{}` does not fit it: {why}", kind.name))
                    .label(&input.at, format!("declared here as {}", input.ty))
                    .help("fix the default, or the type");
                sink.push(diagnostic);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, forward_reference, map, output, parameter, secret, sound, text};
    use crate::check::{Limits, check};
    use crate::model::{Expr, Model, Scalar, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().input("db/db2", "port", 70_000).model
    }

    fn export(ty: Type, value: impl Into<Expr>) -> Vec<&'static str> {
        codes(
            &sound()
                .parameter("flag", Type::BOOLEAN)
                .export("flag", Type::BOOLEAN, parameter("flag"))
                .export("x", ty, value)
                .model,
        )
    }

    fn list(item: Type) -> Type {
        Type::List(Box::new(item))
    }

    #[test]
    fn what_is_wider_fits() {
        let url = || output("db/db2", "url");
        assert!(export(Type::STR, url()).is_empty());
        assert!(export(list(Type::STR), Expr::List(vec![url(), "x".into()])).is_empty());
        assert!(export(Type::Map(Box::new(Type::URI)), map([("u", url())])).is_empty());
        assert!(export(Type::Struct([("u".into(), Type::URI)].into_iter().collect()), map([("u", url())])).is_empty());
        assert!(export(Type::FLOAT, 7).is_empty());
        assert!(export(Type::URI, text(["http://".into(), url()])).is_empty());
        assert!(export(Type::Scalar(Scalar::Network), text([url(), "/24".into()])).is_empty());
        assert!(export(Type::Scalar(Scalar::Network), "10.0.0.0/24").is_empty());
        for value in [url(), Expr::List(vec![url()]), map([("u", url())]), text([url()]), parameter("flag")] {
            assert!(export(Type::Any, value).is_empty());
        }
    }

    #[test]
    fn what_is_not_does_not() {
        let url = || output("db/db2", "url");
        for (ty, value) in [
            (Type::IP, url()),
            (Type::IP, text([url()])),
            (Type::URI, parameter("flag")),
            (Type::IPV4, "::1".into()),
            (Type::Scalar(Scalar::Network), "10.0.0.0".into()),
            (Type::Scalar(Scalar::Network), url()),
            (Type::STR, Expr::List(vec![url()])),
            (Type::STR, map([("u", url())])),
            (list(Type::IP), Expr::List(vec![url()])),
            (Type::Map(Box::new(Type::IP)), map([("u", url())])),
            (Type::Struct([("v".into(), Type::URI)].into_iter().collect()), map([("u", url())])),
            (Type::Struct([("u".into(), Type::IP)].into_iter().collect()), map([("u", url())])),
        ] {
            assert_eq!(export(ty.clone(), value.clone()), ["W0108"], "{ty} {value:?}");
        }
    }

    #[test]
    fn forward_references_and_defaults_are_judged() {
        let forward = Sketch::new().forward_reference("p", Type::IP).fulfil("p", "nowhere").export(
            "p",
            Type::IP,
            forward_reference("p"),
        );
        assert_eq!(codes(&forward.model), ["W0108"]);
        let mut default = sound();
        default.model.declarations["Db2"].inputs["port"].default = Some("many".into());
        assert_eq!(codes(&default.model), ["W0108"]);
    }

    #[test]
    fn an_optional_input_takes_nothing() {
        let mut model = sound().input("db/db2", "port", crate::model::Value::Null).model;
        assert_eq!(codes(&model), ["W0108"]);
        model.declarations["Db2"].inputs["port"].required = false;
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn a_secret_is_not_shown() {
        let model = Sketch::new().forward_reference("p", secret(Type::IP)).fulfil("p", "hunter2").export(
            "p",
            secret(Type::IP),
            forward_reference("p"),
        );
        let found = check(&model.model, &Limits::default());
        assert_eq!(found[0].code, "W0108");
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
    }
}
