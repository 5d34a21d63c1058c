//! The part of a requirement that Heat itself can check: constraints of one parameter (`heat.engine.constraints`).

use crate::model::{
    Constraint, Expr, Model, Name, Parameter, ParameterType, Predicate, Reference, Requirement, Scalar, Test, Tested,
    Type, Value,
};

use crate::model::requirement::words::{one_line, place};
use crate::model::requirement::{demanded, pattern};

use super::phase::operands;
use wattle_heat::template::Version;

/// The part of a requirement that Heat checks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heats {
    /// Constraints, each with its parameter.
    pub(crate) constraints: Vec<(Name, Constraint)>,
    /// Whether they cover the whole requirement.
    pub(crate) whole: bool,
}

/// The part of a requirement that Heat can check with exactly the same result as this crate.
pub(crate) fn of_heat(model: &Model, name: &str, requirement: &Requirement) -> Heats {
    let mut found = Heats { constraints: Vec::new(), whole: true };
    let mut parts = Vec::new();
    conjuncts(&requirement.predicate, &mut parts);
    for part in parts {
        let Some((parameter, constraint)) = constraint(model, part) else {
            found.whole = false;
            continue;
        };
        let said = demanded(&operands(model, part), &|value: &Expr| value.constant().cloned());
        let at = place(&requirement.at);
        let at = if at.is_empty() { String::new() } else { format!(" ({at})") };
        let because = one_line(&requirement.because);
        let because = if because.is_empty() { String::new() } else { format!(" ({because})") };
        let description = format!("the requirement `{name}`{at} does not hold: {said}{because}");
        found.constraints.push((parameter.clone(), constraint.described(description)));
    }
    found
}

fn conjuncts<'p>(predicate: &'p Predicate<Expr>, found: &mut Vec<&'p Predicate<Expr>>) {
    match predicate {
        Predicate::All(parts) => parts.iter().for_each(|part| conjuncts(part, found)),
        other => found.push(other),
    }
}

fn constraint<'m>(model: &'m Model, predicate: &'m Predicate<Expr>) -> Option<(&'m Name, Constraint)> {
    let Predicate::Tested(Tested { value: Some(Expr::Leaf(Reference::Parameter(name))), test, .. }) = predicate else {
        return None;
    };
    let parameter = model.parameters.get(name)?;
    let constraint = match parameter.heat_type {
        ParameterType::Number => of_number(model, parameter, test),
        ParameterType::Str => of_text(test),
        ParameterType::CommaDelimitedList => of_list(test),
        ParameterType::Boolean | ParameterType::Json => None,
    };
    Some((name, constraint?))
}

fn of_number(model: &Model, parameter: &Parameter, test: &Test<Expr>) -> Option<Constraint> {
    let is_whole = matches!(parameter.ty.revealed(), Type::Scalar(Scalar::Integer { .. }));
    let range = |min, max| Some(Constraint::Range { min, max });
    let next = |value: &Expr, step: f64| {
        if is_whole && bound(value)?.fract() == 0.0 { Some(bound(value)? + step) } else { None }
    };
    match test {
        Test::AtLeast(least) => range(Some(bound(least)?), None),
        Test::AtMost(most) => range(None, Some(bound(most)?)),
        Test::Between(least, most) => range(Some(bound(least)?), Some(bound(most)?)),
        Test::MoreThan(value) => range(Some(next(value, 1.0)?), None),
        Test::LessThan(value) => range(None, Some(next(value, -1.0)?)),
        Test::Is(value) => Some(Constraint::AllowedValues(vec![number(value)?])),
        Test::OneOf(values) => Some(Constraint::AllowedValues(values.iter().map(number).collect::<Option<_>>()?)),
        Test::MultipleOf(step)
            if is_whole && *step > 0 && Version::of(&model.version).is_some_and(Version::has_modulo) =>
        {
            Some(Constraint::Modulo { step: f64::from(*step), offset: 0.0 })
        }
        Test::MultipleOf(_)
        | Test::IsNot(_)
        | Test::Matches(_)
        | Test::StartsWith(_)
        | Test::EndsWith(_)
        | Test::Includes(_)
        | Test::Length { .. }
        | Test::EveryItem(_)
        | Test::SomeItem(_) => None,
    }
}

fn of_text(asked: &Test<Expr>) -> Option<Constraint> {
    let text = |value: &Expr| value.constant()?.as_str().map(ToOwned::to_owned);
    let literal = |value: &Expr| Some(pattern::literal(&text(value)?));
    let allowed = |pattern: String| Some(Constraint::AllowedPattern(pattern.into()));
    match asked {
        Test::Is(value) => Some(Constraint::AllowedValues(vec![text(value)?.into()])),
        Test::OneOf(values) => {
            let values: Option<Vec<Value>> = values.iter().map(|value| Some(text(value)?.into())).collect();
            Some(Constraint::AllowedValues(values?))
        }
        Test::Matches(pattern) => allowed(pattern::of_heat(pattern)?),
        // `.` does not match the end of a line.
        Test::StartsWith(start) => allowed(format!("^{}[\\s\\S]*", literal(start)?)),
        Test::EndsWith(end) => allowed(format!("^[\\s\\S]*{}$", literal(end)?)),
        Test::Includes(part) => allowed(format!("^[\\s\\S]*{}[\\s\\S]*", literal(part)?)),
        Test::Length { min, max } => Some(Constraint::Length { min: *min, max: *max }),
        Test::IsNot(_)
        | Test::AtLeast(_)
        | Test::AtMost(_)
        | Test::MoreThan(_)
        | Test::LessThan(_)
        | Test::Between(..)
        | Test::MultipleOf(_)
        | Test::EveryItem(_)
        | Test::SomeItem(_) => None,
    }
}

fn of_list(test: &Test<Expr>) -> Option<Constraint> {
    match test {
        Test::Length { min, max } => Some(Constraint::Length { min: *min, max: *max }),
        Test::EveryItem(item) => match &**item {
            Predicate::Tested(Tested { value: None, test: test @ (Test::Is(_) | Test::OneOf(_)), .. }) => of_text(test),
            _ => None,
        },
        _ => None,
    }
}

fn number(value: &Expr) -> Option<Value> {
    bound(value)?;
    value.constant().cloned()
}

/// A constant number that Heat can represent exactly.
fn bound(value: &Expr) -> Option<f64> {
    match value.constant()? {
        Value::Integer(number) => {
            #[expect(clippy::cast_precision_loss, reason = "checked in the next line")]
            let float = *number as f64;
            (crate::model::requirement::compare(&Value::Float(float), &Value::Integer(*number))?.is_eq())
                .then_some(float)
        }
        Value::Float(number) if number.is_finite() => Some(*number),
        _ => None,
    }
}
