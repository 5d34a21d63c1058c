//! W0805: a requirement that no value can meet, or that is not made for its values.

use std::cmp::Ordering;

use crate::model::{Carrier, Expr, Model, Predicate, Reference, Requirement, Test, Tested, Type, Value};
use crate::requirement::{compare, compiled};

use super::flow::Origins;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A requirement cannot hold, whatever its values are: its pattern is no regular expression, its bounds leave nothing
    /// between them, or it tests text as if it were a number.
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
    /// ```
    /// # use wattle::prelude::*;
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] nodes: Parameter<u32> }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.require("size", p.nodes.between(3, 9));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0805"));
    /// ```
    CHECK: "W0805", Error, "a requirement that no value can meet", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    if model.requirements.is_empty() {
        return;
    }
    let origins = Origins::of(model, sink.uses());
    for (name, requirement) in &model.requirements {
        for why in wrong(model, &origins, requirement) {
            let diagnostic = CHECK
                .diagnostic(format!("the requirement `{name}` can never hold: {why}"))
                .label(&requirement.at, "required here")
                .help("require something that some values can meet");
            sink.push(diagnostic);
        }
    }
}

/// Whether some values can meet it, as far as it is known.
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
        contradictions(&requirement.predicate, &mut found);
    }
    found
}

fn of_test(test: &Test<Expr>, secret: bool) -> Option<String> {
    let shown = |value: &Value| if secret { "(secret)".to_owned() } else { value.to_string() };
    let no_number = |value: &Expr| {
        let value = value.constant()?;
        let is_number = matches!(value, Value::Integer(_) | Value::Float(_));
        (!is_number).then(|| format!("{} is no number to compare with", shown(value)))
    };
    let no_text = |value: &Expr| {
        let value = value.constant()?;
        value.as_str().is_none().then(|| format!("{} is no text", shown(value)))
    };
    match test {
        Test::Matches(pattern) => {
            let error = compiled(pattern).err()?;
            Some(format!("`{pattern}` is no regular expression: {}", error.to_string().replace('\n', " ")))
        }
        Test::Length { min: Some(min), max: Some(max) } if min > max => {
            Some(format!("no length is at least {min} and at most {max}"))
        }
        Test::OneOf(values) if values.is_empty() => Some("there is no value that it may be".to_owned()),
        Test::MultipleOf(0) => Some("nothing is a multiple of 0".to_owned()),
        Test::Between(least, most) => no_number(least).or_else(|| no_number(most)).or_else(|| {
            let (least, most) = (least.constant()?, most.constant()?);
            let is_empty = compare(least, most) == Some(Ordering::Greater);
            is_empty.then(|| format!("nothing is at least {} and at most {}", shown(least), shown(most)))
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

/// The declared type of a value; none where nothing is known.
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

/// Why a test is not made for values of a type.
fn misfit(test: &Test<Expr>, ty: &Type) -> Option<String> {
    let ty = ty.revealed();
    let is_text = *ty == Type::Any || ty.carrier() == Some(Carrier::Text);
    let is_number = *ty == Type::Any || ty.carrier() == Some(Carrier::Number);
    let has_items = matches!(ty, Type::List(_) | Type::Map(_) | Type::Struct(_) | Type::Any);
    let (fits, test) = match test {
        Test::AtLeast(_) | Test::AtMost(_) | Test::MoreThan(_) | Test::LessThan(_) | Test::Between(..) => {
            (is_number, "is neither more nor less than a number")
        }
        Test::MultipleOf(_) => (is_number, "is no multiple of a number"),
        Test::Matches(_) | Test::StartsWith(_) | Test::EndsWith(_) => (is_text, "is not matched as text is"),
        Test::Includes(_) => (is_text || has_items, "has nothing in it"),
        Test::Length { .. } => (is_text || has_items, "has no length"),
        Test::EveryItem(_) | Test::SomeItem(_) => (has_items, "has no items"),
        Test::Is(_) | Test::IsNot(_) | Test::OneOf(_) => return None,
    };
    (!fits).then(|| format!("{ty} {test}"))
}

/// The bounds of one value, and what else is required of it at the same time.
struct Bounds<'p> {
    value: &'p Expr,
    least: Option<(&'p Value, bool)>,
    most: Option<(&'p Value, bool)>,
}

/// What excludes each other among what must hold at the same time.
fn contradictions(predicate: &Predicate<Expr>, found: &mut Vec<String>) {
    let mut parts = Vec::new();
    conjuncts(predicate, &mut parts);
    let mut bounds: Vec<Bounds<'_>> = Vec::new();
    for Tested { value, test, secret } in parts {
        let (Some(value), false) = (value, secret) else { continue };
        let index = bounds.iter().position(|known| known.value == value).unwrap_or_else(|| {
            bounds.push(Bounds { value, least: None, most: None });
            bounds.len() - 1
        });
        let bounds = &mut bounds[index];
        let constant = |value: &'_ Expr| value.constant().is_some();
        match test {
            Test::AtLeast(one) if constant(one) => bounds.at_least(one.constant(), true),
            Test::MoreThan(one) => bounds.at_least(one.constant(), false),
            Test::AtMost(one) => bounds.at_most(one.constant(), true),
            Test::LessThan(one) => bounds.at_most(one.constant(), false),
            Test::Between(least, most) => {
                bounds.at_least(least.constant(), true);
                bounds.at_most(most.constant(), true);
            }
            Test::Is(one) => {
                bounds.at_least(one.constant(), true);
                bounds.at_most(one.constant(), true);
            }
            _ => {}
        }
    }
    for Bounds { least, most, .. } in bounds {
        let (Some((least, with_least)), Some((most, with_most))) = (least, most) else { continue };
        let is_empty = match compare(least, most) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !(with_least && with_most),
            _ => false,
        };
        if is_empty {
            let word = |with: bool, with_it: &'static str, without: &'static str| if with { with_it } else { without };
            found.push(format!(
                "nothing is {} {least} and {} {most}",
                word(with_least, "at least", "more than"),
                word(with_most, "at most", "less than"),
            ));
        }
    }
}

impl<'p> Bounds<'p> {
    fn at_least(&mut self, value: Option<&'p Value>, with: bool) {
        let Some(value) = value else { return };
        let order = self.least.map(|(least, _)| compare(value, least));
        if matches!(order, None | Some(Some(Ordering::Greater))) || order == Some(Some(Ordering::Equal)) && !with {
            self.least = Some((value, with));
        }
    }

    fn at_most(&mut self, value: Option<&'p Value>, with: bool) {
        let Some(value) = value else { return };
        let order = self.most.map(|(most, _)| compare(value, most));
        if matches!(order, None | Some(Some(Ordering::Less))) || order == Some(Some(Ordering::Equal)) && !with {
            self.most = Some((value, with));
        }
    }
}

fn conjuncts<'p>(predicate: &'p Predicate<Expr>, found: &mut Vec<&'p Tested<Expr>>) {
    match predicate {
        Predicate::All(parts) => parts.iter().for_each(|part| conjuncts(part, found)),
        Predicate::Tested(tested) => found.push(tested),
        Predicate::Any(_) | Predicate::Opposite(_) => {}
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::broken_requirement::tests::tested;
    use crate::check::testing::{codes, parameter, sound};
    use crate::check::{Limits, check};
    use crate::model::{Expr, Model, Predicate, Test, Type};

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
        let mut told = Vec::new();
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
            told.push(found[0].message.clone());
        }
        insta::assert_snapshot!(told.join("\n"));
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
