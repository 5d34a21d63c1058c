//! W0801: an invalid default of a parameter.

use crate::model::{Constraint, Parameter, Value};
use wattle_heat::parameters::refuses;

use super::registry::check;
use super::sink::Sink;

check! {
    /// The default of a parameter does not match the parameter's type, or violates one of its constraints. Heat refuses
    /// the stack unless another value is given.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::ParameterOptions;
    /// # use wattle::model::{Constraint, Source, Type};
    /// # let mut t = Topology::new("demo");
    /// let options = ParameterOptions {
    ///     default: Some(80.into()),
    ///     constraints: vec![Constraint::Range { min: Some(1_024.0), max: None }],
    ///     ..ParameterOptions::default()
    /// };
    /// # let port = t.parameter::<f64>("port", Type::FLOAT, options, Source::caller());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("port", port)), "W0801"));
    /// ```
    ///
    /// Give a default that the constraints allow:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::ParameterOptions;
    /// # use wattle::model::{Constraint, Source, Type};
    /// # let mut t = Topology::new("demo");
    /// let options = ParameterOptions {
    ///     default: Some(8_080.into()),
    ///     constraints: vec![Constraint::Range { min: Some(1_024.0), max: None }],
    ///     ..ParameterOptions::default()
    /// };
    /// # let port = t.parameter::<f64>("port", Type::FLOAT, options, Source::caller());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("port", port)), "W0801"));
    /// ```
    ///
    /// Patterns and custom constraints (`glance.image`) are left to Heat.
    CHECK: "W0801", Error, "an invalid default of a parameter", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, parameter) in &sink.model.parameters {
        let Some(default) = &parameter.default else { continue };
        for why in refused(parameter, default) {
            let diagnostic = CHECK
                .diagnostic(format!("the parameter `{name}` does not take its own default: {why}"))
                .label(&parameter.at, format!("declared here as {}", parameter.ty))
                .help("fix the default or the constraint, or remove the default");
            sink.push(diagnostic);
        }
    }
}

/// Why `parameter` does not accept `value`, as far as that is known without a cloud.
pub(crate) fn refused(parameter: &Parameter, value: &Value) -> Vec<String> {
    let wrong = match parameter.ty.refuse(value) {
        Some(why) => vec![why],
        None => parameter.constraints.iter().filter_map(|constraint| breaks(parameter, constraint, value)).collect(),
    };
    // Messages must not show a secret value.
    let shown =
        |why| if parameter.is_hidden() { String::from("it breaks one of the parameter's own rules") } else { why };
    wrong.into_iter().map(shown).collect()
}

/// Why `value` violates `constraint`.
fn breaks(parameter: &Parameter, constraint: &Constraint, value: &Value) -> Option<String> {
    match constraint.bare() {
        Constraint::CustomConstraint(_) | Constraint::AllowedPattern(_) => None,
        constraint => refuses(parameter.heat_type, constraint, value),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, parameter, secret, sound};
    use crate::check::{Limits, check};
    use crate::model::{Constraint, Model, Type, Value};

    fn default(ty: Type, default: impl Into<Value>, constraint: Constraint) -> Model {
        let mut model = sound().parameter("p", ty.clone()).export("p", ty, parameter("p")).model;
        model.parameters["p"].default = Some(default.into());
        model.parameters["p"].constraints = vec![constraint];
        model
    }

    fn range(min: f64, max: f64) -> Constraint {
        Constraint::Range { min: Some(min), max: Some(max) }
    }

    fn length(min: u32) -> Constraint {
        Constraint::Length { min: Some(min), max: None }
    }

    pub(in crate::check) fn failing() -> Model {
        default(Type::FLOAT, 80, range(1024.0, 65_535.0))
    }

    #[test]
    fn defaults_within_their_constraints_are_taken() {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        let strings = || Type::List(Box::new(Type::STR));
        let values = || Constraint::AllowedValues(vec!["a".into(), "b".into()]);
        for model in [
            default(Type::FLOAT, 80, range(80.0, 80.0)),
            default(Type::STR, "four", length(4)),
            default(strings(), list(&["a"]), length(1)),
            default(Type::STR, "a", values()),
            default(strings(), list(&["a", "b", "a"]), values()),
            default(Type::STR, "x", Constraint::AllowedPattern("[0-9]".into())),
        ] {
            assert!(codes(&model).is_empty(), "{model:?}");
        }
    }

    #[test]
    fn defaults_outside_of_them_are_not() {
        let values = || Constraint::AllowedValues(vec!["a".into(), "b".into()]);
        for model in [
            default(Type::IP, "nowhere", length(1)),
            default(Type::STR, "for", length(4)),
            default(Type::STR, "c", values()),
            default(Type::List(Box::new(Type::STR)), vec!["a".to_owned(), "c".to_owned()], values()),
            default(Type::FLOAT, 81, Constraint::AllowedValues(vec![80.into()])),
        ] {
            assert_eq!(codes(&model), ["W0801"], "{model:?}");
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        let mut model = sound().parameter("p", secret(Type::STR)).export("p", secret(Type::STR), parameter("p")).model;
        model.parameters["p"].default = Some("hunter2".into());
        model.parameters["p"].constraints = vec![length(12), Constraint::AllowedValues(vec!["x".into()])];
        let found = check(&model, &Limits::default());
        assert!(!format!("{found:?}").contains("hunter2"));
        assert_eq!(found.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), ["W0801", "W0602"]);
    }
}
