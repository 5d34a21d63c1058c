//! W0803: a requirement that does not hold.

use crate::model::{Expr, Model, Predicate, Reference, Requirement, Value};
use crate::requirement::{self, Verdict, When, judge, operands};

use super::impossible_requirement::is_possible;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A requirement of the blueprint does not hold for the constants or the parameter defaults that it is about.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let nodes = 2_u32;
    /// t.require("a majority", that(nodes).at_least(3).because("two nodes cannot outvote one that is lost"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0803"));
    /// ```
    ///
    /// Change the value, or the requirement:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let nodes = 3_u32;
    /// t.require("a majority", that(nodes).at_least(3).because("two nodes cannot outvote one that is lost"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0803"));
    /// ```
    ///
    /// The value of a parameter is checked when it is given, by Heat and by `wattle seed apply`. Values that exist only
    /// at run time are checked by the agent of each component that reads them, before the component runs.
    CHECK: "W0803", Error, "a requirement that does not hold", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (name, requirement) in &model.requirements {
        let when = requirement::when(model, &requirement.predicate);
        let predicate = operands(model, &requirement.predicate);
        let Verdict::Fails(reasons) = judge(&predicate, &mut |value| known(model, value)) else { continue };
        let of = if when == When::Check { "" } else { " with the parameters' defaults" };
        // A requirement that can never hold has its own diagnostic.
        if !is_possible(sink, requirement) {
            continue;
        }
        let mut diagnostic = CHECK
            .diagnostic(format!("the requirement `{name}` does not hold{of}: {}", reasons.join("; ")))
            .label(&requirement.at, "required here");
        for (parameter, at) in defaults(model, requirement) {
            diagnostic = diagnostic.label(at, format!("the default of `{parameter}`"));
        }
        let because = requirement.because.trim();
        if !because.is_empty() {
            diagnostic = diagnostic.note(format!("the author gives the reason: {}", because.replace('\n', " ")));
        }
        let help = match when {
            When::Check if subjects(&requirement.predicate) == 1 => "change the value or the requirement",
            When::Check => "change the values or the requirement",
            _ => "change or remove the default, or change the requirement",
        };
        sink.push(diagnostic.help(help));
    }
}

/// How many values are tested.
fn subjects(predicate: &Predicate<Expr>) -> usize {
    match predicate {
        Predicate::All(parts) | Predicate::Any(parts) => parts.iter().map(subjects).sum(),
        Predicate::Opposite(part) => subjects(part),
        Predicate::Tested(_) => 1,
    }
}

fn defaults<'m>(model: &'m Model, requirement: &'m Requirement) -> Vec<(&'m str, &'m crate::model::Source)> {
    let mut found: Vec<(&str, _)> = Vec::new();
    requirement.predicate.each(&mut |value| {
        for reference in value.references() {
            if let Reference::Parameter(name) = reference
                && let Some(parameter) = model.parameters.get(name)
                && parameter.default.is_some()
                && !found.iter().any(|(known, _)| *known == &**name)
            {
                found.push((name, &parameter.at));
            }
        }
    });
    found
}

/// The value, if constants and defaults determine it.
fn known(model: &Model, value: &Expr) -> Option<Value> {
    let default = |reference: &Reference| {
        let Reference::Parameter(name) = reference else { return None };
        let parameter = model.parameters.get(name)?;
        // A value of the wrong type has its own diagnostic.
        parameter.default.clone().filter(|default| parameter.ty.refuse(default).is_none())
    };
    value.evaluate(&mut |reference| default(reference).ok_or(()), &mut |_, _| Err(())).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, parameter, secret, sound};
    use crate::check::{Limits, check};
    use crate::model::{Expr, Model, Predicate, Test, Tested, Type, Value};

    pub(in crate::check) fn tested(value: impl Into<Expr>, test: Test<Expr>) -> Predicate<Expr> {
        Predicate::Tested(Tested { value: Some(value.into()), test, secret: false })
    }

    pub(in crate::check) fn failing() -> Model {
        let mut sketch = sound().require("a majority", tested(2, Test::AtLeast(3.into())));
        sketch.model.requirements["a majority"].because = "two nodes cannot outvote one that is lost".into();
        sketch.model
    }

    fn with_default(ty: Type, default: impl Into<Value>, test: Test<Expr>) -> Sketch {
        let mut sketch = sound().parameter("p", ty).require("r", tested(parameter("p"), test));
        sketch.model.parameters["p"].default = Some(default.into());
        sketch
    }

    #[test]
    fn what_holds_is_fine() {
        assert!(codes(&sound().require("r", tested(3, Test::AtLeast(3.into()))).model).is_empty());
        assert!(codes(&with_default(Type::STR, "abc", Test::Matches("[a-c]+".into())).model).is_empty());
    }

    #[test]
    fn a_default_that_breaks_it_is_found_and_its_place_is_shown() {
        let model = with_default(Type::STR, "abd", Test::Matches("[a-c]+".into())).model;
        let found = check(&model, &Limits::default());
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].message,
            "the requirement `r` does not hold with the parameters' defaults: `p` is \"abd\", but must match `[a-c]+` as a whole"
        );
        assert_eq!(found[0].labels.len(), 2);
    }

    #[test]
    fn the_help_fits_how_much_is_tested() {
        let help = |predicate| check(&sound().require("r", predicate).model, &Limits::default())[0].help.clone();
        let one = || tested(2, Test::AtLeast(3.into()));
        assert_eq!(help(one()), ["change the value or the requirement"]);
        assert_eq!(help(Predicate::All(vec![one(), one()])), ["change the values or the requirement"]);
    }

    #[test]
    fn one_mistake_is_one_diagnostic() {
        let model = with_default(Type::STR, "abc", Test::Matches("[a-".into())).model;
        assert_eq!(codes(&model), ["W0805"]);
        let mut model = with_default(Type::STR, "abc", Test::Length { min: Some(5), max: None }).model;
        model.parameters["p"].default = Some(3.into());
        assert_eq!(codes(&model), ["W0801"]);
    }

    #[test]
    fn a_secret_default_is_not_shown() {
        let model = with_default(secret(Type::STR), "hunter2", Test::IsNot("hunter2".into())).model;
        let found = check(&model, &Limits::default());
        assert!(found.iter().any(|diagnostic| diagnostic.code == "W0803"));
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
    }
}
