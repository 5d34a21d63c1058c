//! W0805: a requirement that can never hold, or that does not suit its values.

use std::cmp::Ordering;

use crate::model::{
    Carrier, Constraint, Expr, IndexSet, Model, Name, Parameter, Predicate, Reference, Requirement, Scalar, Test,
    Tested, Type, Value,
};
use crate::requirement::{Verdict, compare, compiled, judge, operands};

use super::contradiction::{Excluded, Known, excluded};
use super::flow::Origins;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A requirement cannot hold, whatever its values are: its pattern is not a valid regular expression, no value is
    /// within its bounds, or it tests text as if it were a number. Two requirements that exclude each other are
    /// reported as well.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Nodes of the cluster.
    ///     #[parameter]
    ///     nodes: Parameter<u32>,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.require("size", p.nodes.between(9, 3));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0805"));
    /// ```
    ///
    /// Give bounds that some value can meet:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] nodes: Parameter<u32> }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.require("size", p.nodes.between(3, 9));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0805"));
    /// ```
    CHECK: "W0805", Error, "a requirement that can never hold", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let origins = Origins::of(model, sink.uses());
    let mut possible = Vec::new();
    for (name, requirement) in &model.requirements {
        let wrong = wrong(model, &origins, requirement);
        if wrong.is_empty() {
            possible.push((name, requirement));
        }
        for why in wrong {
            let diagnostic = CHECK
                .diagnostic(format!("the requirement `{name}` can never hold: {why}"))
                .label(&requirement.at, "required here")
                .help("require something that at least one value can meet");
            sink.push(diagnostic);
        }
    }
    let is_text = |value: &Expr| type_of(model, &origins, value) == Some(Type::STR);
    let fails = |value: &Value, test: &Test<Expr>| fails(model, value, test);
    let known = Known { is_text: &is_text, fails: &fails };
    let mut mentioned = IndexSet::default();
    for requirement in model.requirements.values() {
        requirement.predicate.each(&mut |value| {
            mentioned.extend(value.leaves().filter_map(|leaf| match leaf {
                Reference::Parameter(name) => model.parameters.get_key_value(name).map(|(name, _)| name),
                _ => None,
            }));
        });
    }
    let own: Vec<_> = mentioned.iter().flat_map(|name| tests(name, &model.parameters[*name])).collect();
    for Excluded { of, value, why } in
        excluded(possible.iter().map(|(_, requirement)| &requirement.predicate), &own, &known)
    {
        let parameter = match value {
            Expr::Leaf(Reference::Parameter(name)) => model.parameters.get_key_value(name),
            _ => None,
        };
        let diagnostic = match (of.map(|index| index.map(|index| possible[index])), parameter) {
            ([Some((one, first)), Some((other, second))], _) => CHECK
                .diagnostic(format!("the requirements `{one}` and `{other}` can never hold together: {why}"))
                .label(&second.at, "this one")
                .label(&first.at, "and this one")
                .help("change one of them, or require that one or the other holds: `a.or(b)`"),
            ([None, Some((name, requirement))], Some((parameter, declared))) => CHECK
                .diagnostic(format!(
                    "the requirement `{name}` can never hold for the values that the parameter `{parameter}` takes: {why}"
                ))
                .label(&requirement.at, "required here")
                .label(&declared.at, "declared here")
                .help("change the requirement, or the parameter's type or constraints"),
            // Values that are impossible by themselves are reported below.
            _ => continue,
        };
        sink.push(diagnostic);
    }
    for (name, parameter) in &model.parameters {
        let own = tests(name, parameter);
        for Excluded { why, .. } in excluded([], &own, &known) {
            let diagnostic = CHECK
                .diagnostic(format!("no value is valid for the parameter `{name}`: {why}"))
                .label(&parameter.at, "declared here")
                .help("change its type or one of its constraints");
            sink.push(diagnostic);
        }
    }
}

/// Whether a constant certainly fails a test.
fn fails(model: &Model, value: &Value, test: &Test<Expr>) -> bool {
    let tested = Tested { value: Some(Expr::Constant(value.clone())), test: test.clone(), secret: false };
    let predicate = operands(model, &Predicate::Tested(tested));
    matches!(judge(&predicate, &mut |value: &Expr| value.constant().cloned()), Verdict::Fails(_))
}

/// The limits that a parameter's own type and constraints set, as tests.
fn tests(name: &Name, parameter: &Parameter) -> Vec<Tested<Expr>> {
    if parameter.is_hidden() {
        return Vec::new();
    }
    let mut found: Vec<Test<Expr>> = Vec::new();
    if let Type::Scalar(Scalar::Integer { min, max }) = parameter.ty.revealed() {
        found.extend([Test::AtLeast((*min).into()), Test::AtMost((*max).into())]);
    }
    for constraint in &parameter.constraints {
        match constraint.bare() {
            Constraint::Range { min, max } => {
                found.extend(min.map(|min| Test::AtLeast(min.into())));
                found.extend(max.map(|max| Test::AtMost(max.into())));
            }
            Constraint::Length { min, max } => found.push(Test::Length { min: *min, max: *max }),
            // For a list, each item is one of them.
            Constraint::AllowedValues(values) if !matches!(parameter.ty.revealed(), Type::List(_)) => {
                found.push(Test::OneOf(values.iter().cloned().map(Expr::Constant).collect()));
            }
            _ => {}
        }
    }
    let value = || Some(Expr::Leaf(Reference::Parameter(name.clone())));
    found.into_iter().map(|test| Tested { value: value(), test, secret: false }).collect()
}

/// Whether some values satisfy the requirement, as far as is known.
pub(super) fn is_possible(sink: &Sink<'_, '_>, requirement: &Requirement) -> bool {
    wrong(sink.model, &Origins::of(sink.model, sink.uses()), requirement).is_empty()
}

fn wrong(model: &Model, origins: &Origins<'_>, requirement: &Requirement) -> Vec<String> {
    let mut found = Vec::new();
    requirement.predicate.tested(&mut |tested| {
        let own = of_test(&tested.test, tested.secret);
        let of_type = || type_of(model, origins, tested.value.as_ref()?).and_then(|ty| misfit(&tested.test, &ty));
        found.extend(own.or_else(of_type));
    });
    if found.is_empty() {
        let is_text = |value: &Expr| type_of(model, origins, value) == Some(Type::STR);
        let fails = |value: &Value, test: &Test<Expr>| fails(model, value, test);
        let known = Known { is_text: &is_text, fails: &fails };
        found.extend(excluded([&requirement.predicate], [], &known).into_iter().map(|excluded| excluded.why));
    }
    found
}

fn of_test(test: &Test<Expr>, secret: bool) -> Option<String> {
    let shown = |value: &Value| if secret { "(secret)".to_owned() } else { value.to_string() };
    let no_number = |value: &Expr| {
        let value = value.constant()?;
        let is_number = matches!(value, Value::Integer(_) | Value::Float(_));
        (!is_number).then(|| format!("{} is not a number to compare with", shown(value)))
    };
    let no_text = |value: &Expr| {
        let value = value.constant()?;
        value.as_str().is_none().then(|| format!("{} is not text", shown(value)))
    };
    match test {
        Test::Matches(pattern) => {
            let error = compiled(pattern).err()?;
            Some(format!("`{pattern}` is not a regular expression: {}", error.to_string().replace('\n', " ")))
        }
        Test::Length { min: Some(min), max: Some(max) } if min > max => {
            Some(format!("no length is at least {min} and at most {max}"))
        }
        Test::OneOf(values) if values.is_empty() => Some("its list of values is empty".to_owned()),
        Test::MultipleOf(0) => Some("nothing is a multiple of 0".to_owned()),
        Test::Between(least, most) => no_number(least).or_else(|| no_number(most)).or_else(|| {
            let (least, most) = (least.constant()?, most.constant()?);
            let is_empty = compare(least, most) == Some(Ordering::Greater);
            is_empty.then(|| format!("no value is at least {} and at most {}", shown(least), shown(most)))
        }),
        Test::AtLeast(value) | Test::AtMost(value) | Test::MoreThan(value) | Test::LessThan(value) => no_number(value),
        Test::StartsWith(value) | Test::EndsWith(value) => no_text(value),
        Test::Is(_)
        | Test::IsNot(_)
        | Test::OneOf(_)
        | Test::MultipleOf(_)
        | Test::Includes(_)
        | Test::Length { .. }
        | Test::EveryItem(_)
        | Test::SomeItem(_) => None,
    }
}

/// The declared type of a value; `None` if it is not known.
fn type_of(model: &Model, origins: &Origins<'_>, value: &Expr) -> Option<Type> {
    match value {
        Expr::Text(_) => Some(Type::STR),
        Expr::Leaf(Reference::Parameter(name)) => model.parameters.get(name).map(|parameter| parameter.ty.clone()),
        Expr::Constant(value) => match value {
            Value::Boolean(_) => Some(Type::BOOLEAN),
            Value::Integer(_) | Value::Float(_) => Some(Type::FLOAT),
            Value::Str(_) => Some(Type::STR),
            Value::List(_) => Some(Type::List(Box::new(Type::Any))),
            Value::Map(_) => Some(Type::Map(Box::new(Type::Any))),
            Value::Null => None,
        },
        other => origins.type_of(other),
    }
}

/// Why a test does not apply to values of a type.
fn misfit(test: &Test<Expr>, ty: &Type) -> Option<String> {
    let ty = ty.revealed();
    let is_text = *ty == Type::Any || ty.carrier() == Some(Carrier::Text);
    let is_number = *ty == Type::Any || ty.carrier() == Some(Carrier::Number);
    let has_items = matches!(ty, Type::List(_) | Type::Map(_) | Type::Struct(_) | Type::Any);
    let (fits, test) = match test {
        Test::AtLeast(_) | Test::AtMost(_) | Test::MoreThan(_) | Test::LessThan(_) | Test::Between(..) => {
            (is_number, "cannot be compared with a number")
        }
        Test::MultipleOf(_) => (is_number, "cannot be a multiple of a number"),
        Test::Matches(_) | Test::StartsWith(_) | Test::EndsWith(_) => (is_text, "is not text"),
        Test::Includes(_) => (is_text || has_items, "contains nothing"),
        Test::Length { .. } => (is_text || has_items, "has no length"),
        Test::EveryItem(_) | Test::SomeItem(_) => (has_items, "has no items"),
        Test::Is(_) | Test::IsNot(_) | Test::OneOf(_) => return None,
    };
    (!fits).then(|| format!("{ty} {test}"))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::broken_requirement::tests::tested;
    use crate::check::testing::{codes, parameter, sound};
    use crate::check::{Limits, check};
    use crate::model::{Constraint, Expr, Model, Predicate, Test, Type};

    fn of(ty: Type, tests: Vec<Test<Expr>>) -> Model {
        let all = tests.into_iter().map(|test| tested(parameter("p"), test)).collect();
        sound().parameter("p", ty).require("r", Predicate::All(all)).model
    }

    fn whole() -> Type {
        Type::integer(0, 100)
    }

    pub(in crate::check) fn failing() -> Model {
        of(whole(), vec![Test::AtLeast(9.into()), Test::AtMost(3.into())])
    }

    #[test]
    fn what_can_never_hold_is_said() {
        let mut messages = Vec::new();
        for (ty, tests) in [
            (whole(), vec![Test::Between(9.into(), 3.into())]),
            (whole(), vec![Test::AtLeast(3.into()), Test::LessThan(3.into())]),
            (whole(), vec![Test::Is(5.into()), Test::MoreThan(5.into()), Test::AtLeast(1.into())]),
            (whole(), vec![Test::AtLeast("three".into())]),
            (whole(), vec![Test::MultipleOf(0)]),
            (whole(), vec![Test::Matches("[0-9]".into())]),
            (Type::STR, vec![Test::Matches("[a-".into())]),
            (Type::STR, vec![Test::Length { min: Some(3), max: Some(2) }]),
            (Type::STR, vec![Test::AtLeast(3.into())]),
            (Type::STR, vec![Test::OneOf(Vec::new())]),
        ] {
            let found = check(&of(ty, tests), &Limits::default());
            assert_eq!(found.len(), 1, "{found:?}");
            messages.push(found[0].message.clone());
        }
        insta::assert_snapshot!(messages.join("\n"));
    }

    #[test]
    fn two_requirements_that_exclude_each_other_are_reported_together() {
        let of = |ty: Type, one: Test<Expr>, other: Test<Expr>| {
            let sketch = sound().parameter("p", ty).require("one", tested(parameter("p"), one));
            sketch.require("other", tested(parameter("p"), other)).model
        };
        let length = |min: Option<u32>, max: Option<u32>| Test::Length { min, max };
        for (ty, one, other, why) in [
            (whole(), Test::AtLeast(5.into()), Test::AtMost(3.into()), "no value is at least 5 and at most 3"),
            (whole(), Test::Is(5.into()), Test::LessThan(5.into()), "no value is at least 5 and less than 5"),
            (Type::STR, length(Some(9), None), length(Some(1), Some(3)), "no length is at least 9 and at most 3"),
            (Type::STR, Test::Is("a".into()), Test::Is("b".into()), "no value is both \"a\" and \"b\""),
            (
                Type::STR,
                Test::Is("a".into()),
                Test::OneOf(vec!["b".into(), "c".into()]),
                "it must be \"a\", which is not allowed",
            ),
            (
                Type::STR,
                Test::StartsWith("x".into()),
                Test::OneOf(vec!["b".into(), "c".into()]),
                "none of \"b\", \"c\" is allowed",
            ),
            (whole(), Test::OneOf(vec![1.into(), 2.into()]), Test::AtLeast(3.into()), "none of 1, 2 is allowed"),
            (Type::BOOLEAN, Test::Is(true.into()), Test::IsNot(true.into()), "it must be true, which is not allowed"),
        ] {
            let found = check(&of(ty, one, other), &Limits::default());
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].message, format!("the requirements `one` and `other` can never hold together: {why}"));
            assert_eq!(found[0].labels.len(), 2);
        }
        for (ty, one, other) in [
            (whole(), Test::AtLeast(3.into()), Test::AtMost(3.into())),
            (whole(), Test::AtLeast(5.into()), Test::AtMost(parameter("p"))),
            (Type::STR, length(Some(1), None), length(Some(1), Some(3))),
            (Type::STR, Test::Is("a".into()), Test::Is("a".into())),
            (Type::STR, Test::Is("a".into()), Test::IsNot("b".into())),
            // Different spellings can mean the same value.
            (Type::IP, Test::Is("::1".into()), Test::Is("0:0:0:0:0:0:0:1".into())),
        ] {
            let found = check(&of(ty, one, other), &Limits::default());
            assert!(found.is_empty(), "{found:?}");
        }
        let either = Predicate::Any(vec![
            tested(parameter("p"), Test::AtLeast(5.into())),
            tested(parameter("p"), Test::AtMost(1.into())),
        ]);
        let model = sound().parameter("p", whole()).require("either", either);
        assert!(codes(&model.require("most", tested(parameter("p"), Test::AtMost(3.into()))).model).is_empty());
    }

    #[test]
    fn a_requirement_is_of_what_its_parameter_takes() {
        let of = |ty: Type, constraint: Option<Constraint>, test: Test<Expr>| {
            let mut sketch = sound().parameter("p", ty).require("r", tested(parameter("p"), test));
            sketch.model.parameters["p"].constraints.extend(constraint);
            let found = check(&sketch.model, &Limits::default());
            found.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
        };
        let range = |min, max| Some(Constraint::Range { min, max });
        let values =
            |values: &[&str]| Some(Constraint::AllowedValues(values.iter().map(|one| (*one).into()).collect()));
        for (ty, constraint, test, why) in [
            (whole(), None, Test::AtLeast(300.into()), "no value is at least 300 and at most 100"),
            (Type::FLOAT, range(None, Some(3.0)), Test::AtLeast(5.into()), "no value is at least 5 and at most 3.0"),
            (Type::STR, values(&["a", "b"]), Test::Is("c".into()), "none of \"a\", \"b\" is allowed"),
        ] {
            let said = format!("the requirement `r` can never hold for the values that the parameter `p` takes: {why}");
            assert_eq!(of(ty, constraint, test), [said]);
        }
        assert!(of(Type::FLOAT, range(None, Some(3.0)), Test::AtLeast(3.into())).is_empty());
        assert!(of(Type::STR, values(&["a", "b"]), Test::IsNot("a".into())).is_empty());
        let none = of(Type::FLOAT, range(Some(5.0), Some(3.0)), Test::IsNot(9.into()));
        assert_eq!(none, ["no value is valid for the parameter `p`: no value is at least 5.0 and at most 3.0"]);
    }

    #[test]
    fn what_some_value_meets_is_not() {
        for tests in [
            vec![Test::Between(3.into(), 3.into())],
            vec![Test::AtLeast(3.into()), Test::AtMost(3.into()), Test::LessThan(4.into())],
            vec![Test::AtLeast(1.into()), Test::AtLeast(5.into()), Test::AtMost(9.into())],
        ] {
            assert!(codes(&of(whole(), tests)).is_empty());
        }
    }
}
