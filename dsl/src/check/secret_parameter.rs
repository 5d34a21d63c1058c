//! W0604: a parameter that is used only as a secret but is not declared as one.

use crate::model::{Expr, Name, Reference, Source, Type};

use super::place::{self, Place};
use super::registry::check;
use super::secret_leak::is_for_secrets;
use super::sink::Sink;

check! {
    /// A parameter is wired to secret inputs only, but is not declared as secret itself. Its value appears in plain
    /// text in the seed, in what Heat shows of the stack, and in logs. It is not masked anywhere, and not sealed for
    /// the servers that read it.
    ///
    /// A parameter that is also used in a place that is not secret is not reported. The user's name within a secret URL
    /// is an example.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/login.sh")]
    /// # struct Login { #[input(default = "::1")] address: String, #[input] password: Secret<String>, #[output] digest: String }
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Password of the user.
    ///     #[parameter]
    ///     password: Parameter<String>,
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    ///
    /// let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0604"));
    /// ```
    ///
    /// Declare the parameter as secret:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/login.sh")]
    /// # struct Login { #[input(default = "::1")] address: String, #[input] password: Secret<String>, #[output] digest: String }
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Password of the user.
    ///     #[parameter]
    ///     password: Parameter<Secret<String>>,
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    ///
    /// let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0604"));
    /// ```
    CHECK: "W0604", Warning, "a parameter that is used only as a secret but is not declared as one", run
}

/// The places that use a parameter.
#[derive(Clone, Default)]
struct Takers<'m> {
    /// The first secret input that consists of the parameter alone.
    secret: Option<(Place<'m>, &'m Source)>,
    is_plain: bool,
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    if !model.parameters.values().any(|parameter| !parameter.ty.is_secret()) {
        return;
    }
    let mut takers = vec![Takers::default(); model.parameters.len()];
    place::each(model, |place, at, value| {
        if !takes(place) {
            return;
        }
        parts(type_of(sink, place), value, &mut |name, is_secret| {
            let index = model.parameters.get_index_of(name);
            let Some(taker) = index.and_then(|index| takers.get_mut(index)) else { return };
            if is_secret {
                taker.secret.get_or_insert((place, at));
            } else {
                taker.is_plain = true;
            }
        });
    });
    for ((name, parameter), taker) in model.parameters.iter().zip(&takers) {
        let (Some((place, at)), false, false) = (&taker.secret, taker.is_plain, parameter.ty.is_secret()) else {
            continue;
        };
        let diagnostic = CHECK
            .diagnostic(format!("the parameter `{name}` is wired only to secret inputs, but is not secret itself"))
            .label(&parameter.at, "declared as public")
            .label(at, format!("{place} is secret"))
            .help(help(parameter));
        sink.push(diagnostic);
    }
}

/// Whether a place declares what it accepts. Places that only read a value, or whose names indicate secrets, declare
/// nothing.
fn takes(place: Place<'_>) -> bool {
    match place {
        Place::Requirement(_) => false,
        Place::Property { property, .. } => !is_for_secrets(property),
        _ => true,
    }
}

/// The type that a place declares, if any.
fn type_of<'m>(sink: &Sink<'_, 'm>, place: Place<'m>) -> Option<&'m Type> {
    let model = sink.model;
    match place {
        Place::ForwardReference(name) => model.forward_references.get(name).map(|forward| &forward.ty),
        Place::Export(name) => model.exports.get(name).map(|export| &export.ty),
        Place::Input { component, input } => {
            let index = model.components.get_index_of(component)?;
            let kind = sink.uses().kinds[index].and_then(|kind| model.declarations.get_index(kind));
            kind.and_then(|(_, kind)| kind.inputs.get(input)).map(|input| &input.ty)
        }
        Place::Property { .. }
        | Place::Setting { .. }
        | Place::Condition(_)
        | Place::Output(_)
        | Place::Requirement(_) => None,
    }
}

/// Calls `visit` for every parameter in a value of this type, and whether it is a secret there. A part of a secret text is
/// neither: it may be the part that is not secret.
fn parts<'m>(ty: Option<&Type>, value: &'m Expr, visit: &mut impl FnMut(&'m Name, bool)) {
    match (ty, value) {
        (ty, Expr::Leaf(Reference::Parameter(name))) => visit(name, ty.is_some_and(Type::is_secret)),
        (Some(Type::List(item) | Type::Map(item)), Expr::List(items)) => {
            items.iter().for_each(|part| parts(Some(item), part, visit));
        }
        (Some(Type::List(item) | Type::Map(item)), Expr::Map(items)) => {
            items.values().for_each(|part| parts(Some(item), part, visit));
        }
        (Some(Type::Struct(fields)), Expr::Map(items)) => {
            items.iter().for_each(|(name, part)| parts(fields.get(name), part, visit));
        }
        (ty, Expr::List(items)) => items.iter().for_each(|part| parts(ty, part, visit)),
        (ty, Expr::Map(items)) => items.values().for_each(|part| parts(ty, part, visit)),
        (ty, Expr::Text(items)) if items.len() == 1 => parts(ty, &items[0], visit),
        (Some(ty), _) if ty.is_secret() => {}
        (_, value) => value.references().for_each(|reference| {
            if let Reference::Parameter(name) = reference {
                visit(name, false);
            }
        }),
    }
}

fn help(parameter: &crate::model::Parameter) -> String {
    if parameter.at.file.ends_with(".rs") {
        "declare it as `Parameter<Secret<...>>`".into()
    } else {
        "add `hidden: true` to its declaration".into()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, parameter, secret, text};
    use crate::model::{Expr, Model, Type};

    fn login() -> Sketch {
        Sketch::new()
            .parameter("password", Type::STR)
            .server("db")
            .kind("Login", &[("password", secret(Type::STR))], &[])
            .component("db", "login", "Login")
    }

    pub(in crate::check) fn failing() -> Model {
        login().input("db/login", "password", parameter("password")).model
    }

    #[test]
    fn what_something_plain_takes_too_may_be_plain() {
        let wired = || login().input("db/login", "password", parameter("password"));
        assert_eq!(codes(&wired().model), ["W0604"]);
        let kinds = wired().kind("Web", &[("user", Type::STR)], &[]).component("db", "web", "Web");
        assert!(codes(&kinds.input("db/web", "user", parameter("password")).model).is_empty());
        assert!(codes(&wired().property("db", "name", parameter("password")).model).is_empty());
        assert!(codes(&wired().export("user", Type::STR, parameter("password")).model).is_empty());
    }

    #[test]
    fn what_a_secret_text_takes_too_is_a_secret_all_the_same() {
        let url = || text(["http://u:".into(), parameter("password"), "@h/".into()]);
        let wired = |ty: Type, value: Expr| {
            let login = login().input("db/login", "password", parameter("password"));
            codes(
                &login
                    .kind("Web", &[("url", ty)], &[])
                    .component("db", "web", "Web")
                    .input("db/web", "url", value)
                    .model,
            )
        };
        assert_eq!(wired(secret(Type::URI), url()), ["W0604"]);
        assert_eq!(wired(secret(Type::URI), Expr::function("digest", Expr::list(["md5".into(), url()]))), ["W0604"]);
        assert!(wired(Type::URI, url()).is_empty());
    }

    #[test]
    fn items_and_fields_are_secrets_each() {
        let wired = |ty: Type, value: Expr| {
            let sketch = Sketch::new().parameter("a", Type::STR).server("db").kind("Web", &[("creds", ty)], &[]);
            codes(&sketch.component("db", "web", "Web").input("db/web", "creds", value).model)
        };
        let list = |item: Expr| Expr::list([item, "fixed".into()]);
        let secrets = Type::List(Box::new(secret(Type::STR)));
        assert!(wired(secrets.clone(), list(parameter("a"))).contains(&"W0604"));
        assert!(wired(secret(Type::List(Box::new(Type::STR))), list(parameter("a"))).contains(&"W0604"));
        assert!(!wired(Type::List(Box::new(Type::STR)), list(parameter("a"))).contains(&"W0604"));
        assert!(!wired(secrets, list(text(["u:".into(), parameter("a")]))).contains(&"W0604"));
        let login =
            || Type::Struct([("user".into(), Type::STR), ("key".into(), secret(Type::STR))].into_iter().collect());
        let fields = |user: Expr, key: Expr| map([("user", user), ("key", key)]);
        assert!(wired(login(), fields("root".into(), parameter("a"))).contains(&"W0604"));
        assert!(!wired(login(), fields(parameter("a"), parameter("a"))).contains(&"W0604"));
        assert!(wired(Type::Map(Box::new(secret(Type::STR))), map([("x", parameter("a"))])).contains(&"W0604"));
    }

    #[test]
    fn a_part_of_a_secret_text_may_be_plain() {
        let value = text(["postgresql://".into(), parameter("password"), "@db/".into()]);
        assert!(codes(&login().input("db/login", "password", value).model).is_empty());
    }
}
