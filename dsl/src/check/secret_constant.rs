//! W0602: a secret is a constant of the blueprint.

use crate::model::{Expr, Predicate, Source, Test};
use crate::requirement::{Operand, operands};

use super::flow::holds_secret;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A secret is a constant of the blueprint. Anyone who has the program, its source or the seed can read it, and all
    /// stacks that are made from the blueprint share it. A requirement that says what a secret must be is reported as
    /// well.
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
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let login = t.on(server).run("login", Login::new().password(Secret::new("hunter2".to_owned())));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0602"));
    /// ```
    ///
    /// Ask for the secret at deployment:
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
    /// # #[component(recipe = "src/check/examples/login.sh")]
    /// # struct Login { #[input(default = "::1")] address: String, #[input] password: Secret<String>, #[output] digest: String }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0602"));
    /// ```
    CHECK: "W0602", Warning, "a secret is a constant of the blueprint", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (place, at) in &sink.flows().constants {
        report(sink, &format!("{place} is a secret, but its value"), at);
    }
    for kind in model.declarations.values() {
        for (name, input) in &kind.inputs {
            if input.default.as_ref().is_some_and(|default| holds_secret(&input.ty, default)) {
                report(sink, &format!("the input `{name}` of `{}` is a secret, but its default", kind.name), &input.at);
            }
        }
    }
    for (name, parameter) in &model.parameters {
        if parameter.default.as_ref().is_some_and(|default| holds_secret(&parameter.ty, default)) {
            report(sink, &format!("the parameter `{name}` is a secret, but its default"), &parameter.at);
        }
    }
    for (name, requirement) in &model.requirements {
        if is_said(&operands(model, &requirement.predicate), true, false) {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "the requirement `{name}` reveals the value of a secret, which is written in the blueprint"
                ))
                .label(&requirement.at, "everyone who has the program or the seed can read it")
                .help("require something that does not reveal it: its length, its form, or what it is not");
            sink.push(diagnostic);
        }
    }
}

/// Whether a predicate reveals what a secret must be. What it must not be, such as `changeme`, reveals nothing.
fn is_said(predicate: &Predicate<Operand<Expr>>, wanted: bool, within_secret: bool) -> bool {
    match predicate {
        Predicate::All(parts) | Predicate::Any(parts) => parts.iter().any(|part| is_said(part, wanted, within_secret)),
        Predicate::Opposite(part) => is_said(part, !wanted, within_secret),
        Predicate::Tested(tested) => {
            let secret = tested.secret || within_secret;
            let constant = |operand: &Operand<Expr>| matches!(operand.from, Expr::Constant(_));
            match (&tested.test, wanted) {
                (Test::Is(one), true) | (Test::IsNot(one), false) => {
                    secret && (constant(one) || tested.value.as_ref().is_some_and(constant))
                }
                (Test::OneOf(some), true) => secret && some.iter().any(constant),
                (Test::EveryItem(item) | Test::SomeItem(item), _) => is_said(item, wanted, secret),
                _ => false,
            }
        }
    }
}

fn report(sink: &mut Sink<'_, '_>, what: &str, at: &Source) {
    let diagnostic = CHECK
        .diagnostic(format!("{what} is written in the blueprint"))
        .label(at, "everyone who has the program or the seed can read it")
        .help("ask for it at deployment with a `Parameter<Secret<String>>` that has no default");
    sink.push(diagnostic);
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Expr, Predicate, Test};
    use crate::check::testing::{Sketch, codes, parameter, secret};
    use crate::check::{Limits, check};
    use crate::model::{Model, Tested, Type};

    fn login(default: bool) -> Model {
        let sketch = Sketch::new().parameter("p", secret(Type::STR)).server("db");
        let mut sketch =
            sketch.kind("Login", &[("password", secret(Type::STR))], &[]).component("db", "login", "Login");
        if default {
            sketch.model.parameters["p"].default = Some("hunter2".into());
        }
        sketch.input("db/login", "password", parameter("p")).model
    }

    pub(in crate::check) fn failing() -> Model {
        let sketch = Sketch::new().server("db").kind("Login", &[("password", secret(Type::STR))], &[]);
        sketch.component("db", "login", "Login").input("db/login", "password", "hunter2").model
    }

    #[test]
    fn a_parameter_without_default_is_what_is_asked_for() {
        assert!(codes(&login(false)).is_empty());
        assert_eq!(codes(&login(true)), ["W0602"]);
    }

    #[test]
    fn a_default_of_an_input_is_a_constant_too() {
        let mut model = login(false);
        model.declarations["Login"].inputs["password"].default = Some("hunter2".into());
        assert_eq!(codes(&model), ["W0602"]);
    }

    fn required(predicate: Predicate<Expr>) -> Model {
        let mut sketch = Sketch::new();
        sketch.model = login(false);
        sketch.require("known", predicate).model
    }

    fn password(test: Test<Expr>) -> Predicate<Expr> {
        Predicate::Tested(Tested { value: Some(parameter("p")), test, secret: false })
    }

    #[test]
    fn a_requirement_that_says_what_a_secret_is_tells_it() {
        let is = || password(Test::Is("hunter2".into()));
        let is_not = || password(Test::IsNot("hunter2".into()));
        let opposite = |predicate| Predicate::Opposite(Box::new(predicate));
        let turned = Tested { value: Some("hunter2".into()), test: Test::Is(parameter("p")), secret: false };
        for telling in [
            is(),
            opposite(is_not()),
            Predicate::Any(vec![is(), is_not()]),
            password(Test::OneOf(vec!["hunter2".into()])),
            Predicate::Tested(turned),
        ] {
            assert_eq!(codes(&required(telling.clone())), ["W0602"], "{telling:?}");
        }
        for silent in [is_not(), opposite(is()), password(Test::StartsWith("hunter".into()))] {
            assert!(codes(&required(silent.clone())).is_empty(), "{silent:?}");
        }
    }

    #[test]
    fn the_secret_is_not_shown() {
        for model in [failing(), login(true), required(password(Test::Is("hunter2".into())))] {
            assert!(!format!("{:?}", check(&model, &Limits::default())).contains("hunter2"));
        }
    }
}
