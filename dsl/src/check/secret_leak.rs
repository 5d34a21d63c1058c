//! W0601: a secret in a place that is not secret.

use crate::model::{Expr, Name};

use super::flow::{Leak, Origin, Origins};
use super::place::Place;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A secret flows into a place where others can see it: an input, forward reference or export that is not declared
    /// secret, or a property that the cloud shows to anyone who may see the resource.
    ///
    /// In a blueprint, the compiler reports this. Here it is found in a model that was read from a file. Two kinds of
    /// places accept secrets: properties whose names show that they carry secrets (`admin_pass`, `private_key`,
    /// `user_data`, ...), and resources that Heat keeps to itself (`OS::Heat::...`, `OS::Barbican::...`).
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::Type;
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Password of the database owner.
    ///     #[parameter]
    ///     password: Parameter<Secret<String>>,
    /// }
    ///
    /// #[component(recipe = "src/check/examples/login.sh")]
    /// struct Login {
    ///     #[input(default = "127.0.0.1")]
    ///     address: String,
    ///     #[input]
    ///     password: Secret<String>,
    ///     #[output]
    ///     digest: String,
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let login = t.on(server).run("login", Login::new().password(p.password));
    /// # let mut model = t.finish(Exports::new().entry("digest", login.digest));
    /// # assert!(!wattle::check::finds(&model, "W0601"));
    /// # for kind in model.declarations.values_mut() {
    /// kind.inputs["password"].ty = Type::STR;
    /// # }
    /// # assert!(wattle::check::finds(&model, "W0601"));
    /// ```
    ///
    /// Declare the place that receives the secret as secret:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] password: Parameter<Secret<String>> }
    /// # #[component(recipe = "src/check/examples/login.sh")]
    /// # struct Login { #[input(default = "::1")] address: String, #[input] password: Secret<String>, #[output] digest: String }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0601"));
    /// ```
    CHECK: "W0601", Error, "a secret flows into a place that is not secret", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for Leak { place, at, target, origin } in &sink.flows().leaks {
        let mut diagnostic = CHECK
            .diagnostic(format!("{} is a secret, but {place} is not", origin.what))
            .label(at, "anyone could see it here")
            .label(origin.at, "declared as a secret here");
        if let (Some(target), false) = (target, matches!(place, Place::Export(_))) {
            diagnostic = diagnostic.label(target, "declared here as public");
        }
        let help = match place {
            Place::Export(name) => format!(
                "export something that is not secret, or declare the export as secret: in a template by \
                 `exports: {{{name}: {{secret: string}}}}` in the metadata of `wattle_model`"
            ),
            _ => "declare what receives it as `Secret<...>`, or pass a value that is not secret".into(),
        };
        sink.push(diagnostic.help(help));
    }
    properties(sink);
}

fn properties(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    // Of the values that Heat knows, only parameters can be secret.
    if !model.parameters.values().any(|parameter| parameter.ty.is_secret()) {
        return;
    }
    let origins = Origins::of(model, sink.uses());
    let mut found = Vec::new();
    for (name, resource) in &model.resources {
        if ["OS::Heat::", "OS::Barbican::"].iter().any(|own| resource.ty.starts_with(own)) {
            continue;
        }
        for (property, binding) in &resource.properties {
            shown(&origins, property, &binding.value, &mut |origin| found.push((name, property, &binding.at, origin)));
        }
    }
    for (resource, property, at, origin) in found {
        let diagnostic = CHECK
            .diagnostic(format!("{} is a secret, but {} is not", origin.what, Place::Property { resource, property }))
            .label(at, "the cloud shows this to everyone who may see the resource")
            .label(origin.at, "declared as a secret here")
            .help("pass it to a secret input of a component instead");
        sink.push(diagnostic);
    }
}

/// Calls `visit` for every secret in `value`, unless a key on the path to it indicates a secret.
fn shown<'m>(origins: &Origins<'m>, key: &Name, value: &'m Expr, visit: &mut impl FnMut(Origin<'m>)) {
    if is_for_secrets(key) {
        return;
    }
    match value {
        Expr::Map(parts) => parts.iter().for_each(|(key, part)| shown(origins, key, part, visit)),
        Expr::List(parts) => parts.iter().for_each(|part| shown(origins, key, part, visit)),
        value => origins.secrets(value).for_each(visit),
    }
}

/// Whether a property of this name is meant for secrets.
pub(crate) fn is_for_secrets(name: &str) -> bool {
    const WORDS: [&str; 10] =
        ["pass", "secret", "private", "token", "credential", "user_data", "personality", "psk", "auth", "certificate"];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, forward_reference, map, output, parameter, secret, text};
    use crate::model::{Expr, Model, Type};

    fn vault() -> Sketch {
        Sketch::new()
            .parameter("password", secret(Type::STR))
            .server("db")
            .kind("Db2", &[("password", secret(Type::STR))], &[("token", secret(Type::STR))])
            .component("db", "db2", "Db2")
            .input("db/db2", "password", parameter("password"))
            .export("token", secret(Type::STR), output("db/db2", "token"))
    }

    fn web(ty: Type, value: Expr) -> Vec<&'static str> {
        codes(
            &vault()
                .kind("Web", &[("value", ty)], &[])
                .component("db", "web", "Web")
                .input("db/web", "value", value)
                .model,
        )
    }

    pub(in crate::check) fn failing() -> Model {
        let value = text(["token=".into(), output("db/db2", "token")]);
        let sketch = vault().kind("Web", &[("url", Type::STR)], &[]).component("db", "web", "Web");
        sketch.input("db/web", "url", value).model
    }

    #[test]
    fn every_way_is_watched() {
        let list = |ty| Type::List(Box::new(ty));
        let password = || parameter("password");
        for (ty, value) in [
            (Type::STR, password()),
            (Type::STR, output("db/db2", "token")),
            (list(Type::STR), Expr::List(vec![password()])),
            (Type::Map(Box::new(Type::STR)), map([("a", text([password()]))])),
            (Type::Struct([("a".into(), Type::STR)].into_iter().collect()), map([("a", password())])),
        ] {
            assert_eq!(web(ty.clone(), value.clone()), ["W0601"], "{ty}: {value:?}");
        }
        assert_eq!(codes(&vault().export("p", Type::STR, password()).model), ["W0601"]);
        let forward = vault().forward_reference("p", Type::STR).fulfil("p", password()).export(
            "p",
            Type::STR,
            forward_reference("p"),
        );
        assert_eq!(codes(&forward.model), ["W0601"], "once, where it leaks");
    }

    #[test]
    fn secrets_may_flow_into_secret_places() {
        let list = |ty| Type::List(Box::new(ty));
        let password = || parameter("password");
        for (ty, value) in [
            (secret(Type::STR), text(["x".into(), password()])),
            (list(secret(Type::STR)), Expr::List(vec![password()])),
            (secret(list(Type::STR)), Expr::List(vec![password()])),
            (Type::Struct([("a".into(), secret(Type::STR))].into_iter().collect()), map([("a", password())])),
        ] {
            assert!(web(ty.clone(), value.clone()).is_empty(), "{ty}: {value:?}");
        }
    }

    #[test]
    fn properties_of_the_right_name_take_secrets() {
        let property = |name: &str, value: Expr| codes(&vault().property("db", name, value).model);
        let password = || parameter("password");
        assert_eq!(property("name", password()), ["W0601"]);
        assert_eq!(property("metadata", map([("motd", text([password()]))])), ["W0601"]);
        assert!(property("admin_pass", password()).is_empty());
        assert!(property("users", Expr::List(vec![map([("password", password())])])).is_empty());
        let value = vault().resource("value", "OS::Heat::Value").property("value", "value", password());
        assert!(codes(&value.model).is_empty());
    }
}
