//! The evaluator, compared with a second implementation, and its messages.

use proptest::prelude::*;

use wattle_model::requirement::words::demanded;
use wattle_model::requirement::{Operand, Verdict, judge, unmet};
use wattle_model::{Name, Predicate, Test, Tested, Value};

type Given = Operand<Leaf>;

/// A constant, or one of a few named values.
#[derive(Clone, Debug, PartialEq)]
enum Leaf {
    Constant(Value),
    Named(usize),
}

fn constant(value: impl Into<Value>) -> Given {
    Operand { name: None, from: Leaf::Constant(value.into()) }
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn named(index: usize) -> Given {
    Operand { name: Some(NAMES[index].into()), from: Leaf::Named(index) }
}

fn tested(value: Option<Given>, test: Test<Given>) -> Predicate<Given> {
    Predicate::Tested(Tested { value, test, secret: false })
}

/// The verdict on the predicate with these values.
fn verdict(predicate: &Predicate<Given>, values: &[Option<Value>]) -> Verdict {
    judge(predicate, &mut |leaf| match leaf {
        Leaf::Constant(value) => Some(value.clone()),
        Leaf::Named(index) => values[*index].clone(),
    })
}

/// Whether it holds, and whether its opposite does. Neither holds if a test does not apply to its value.
fn brute(predicate: &Predicate<Given>, values: &[Value], item: Option<&Value>) -> (bool, bool) {
    let of = |operand: &Given| match &operand.from {
        Leaf::Constant(value) => value.clone(),
        Leaf::Named(index) => values[*index].clone(),
    };
    match predicate {
        Predicate::All(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| brute(part, values, item)).collect();
            (parts.iter().all(|part| part.0), parts.iter().any(|part| part.1))
        }
        Predicate::Any(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| brute(part, values, item)).collect();
            (parts.iter().any(|part| part.0), parts.iter().all(|part| part.1))
        }
        Predicate::Opposite(part) => {
            let (holds, opposite) = brute(part, values, item);
            (opposite, holds)
        }
        Predicate::Tested(tested) => {
            let subject = tested.value.as_ref().map_or_else(|| item.cloned().unwrap_or(Value::Null), of);
            if let Test::EveryItem(part) | Test::SomeItem(part) = &tested.test {
                let Value::List(items) = &subject else { return (false, false) };
                let items: Vec<_> = items.iter().map(|item| brute(part, values, Some(item))).collect();
                return if matches!(tested.test, Test::EveryItem(_)) {
                    (items.iter().all(|item| item.0), items.iter().any(|item| item.1))
                } else {
                    (items.iter().any(|item| item.0), items.iter().all(|item| item.1))
                };
            }
            match simple(&tested.test, &subject, &of) {
                Some(holds) => (holds, !holds),
                None => (false, false),
            }
        }
    }
}

/// The tests over integers and texts of a few letters.
fn simple(asked: &Test<Given>, subject: &Value, of: &dyn Fn(&Given) -> Value) -> Option<bool> {
    let integer = |value: &Value| if let Value::Integer(value) = value { Some(*value) } else { None };
    let text = |value: &Value| if let Value::Str(value) = value { Some(value.to_string()) } else { None };
    let equal = |one: &Value, other: &Value| one.to_string() == other.to_string();
    Some(match asked {
        Test::Is(other) => equal(subject, &of(other)),
        Test::IsNot(other) => !equal(subject, &of(other)),
        Test::AtLeast(other) => integer(subject)? >= integer(&of(other))?,
        Test::AtMost(other) => integer(subject)? <= integer(&of(other))?,
        Test::MoreThan(other) => integer(subject)? > integer(&of(other))?,
        Test::LessThan(other) => integer(subject)? < integer(&of(other))?,
        Test::Between(least, most) => {
            let (subject, least, most) = (integer(subject)?, integer(&of(least))?, integer(&of(most)));
            // A number less than the minimum is out of bounds, whatever the maximum is.
            subject >= least && subject <= most?
        }
        Test::OneOf(values) => values.iter().any(|value| equal(subject, &of(value))),
        Test::MultipleOf(step) => integer(subject)?.rem_euclid(i128::from(*step)) == 0,
        Test::Matches(pattern) => {
            assert_eq!(&**pattern, "a+|b");
            let text = text(subject)?;
            text == "b" || (!text.is_empty() && text.chars().all(|c| c == 'a'))
        }
        Test::StartsWith(other) => {
            let (subject, other) = (text(subject)?, text(&of(other))?);
            subject.len() >= other.len() && subject[..other.len()] == other
        }
        Test::EndsWith(other) => {
            let (subject, other) = (text(subject)?, text(&of(other))?);
            subject.len() >= other.len() && subject[subject.len() - other.len()..] == other
        }
        Test::Includes(other) => match subject {
            Value::List(items) => items.iter().any(|item| equal(item, &of(other))),
            _ => text(subject)?.split(&text(&of(other))?).count() > 1,
        },
        Test::Length { min, max } => {
            let length = match subject {
                Value::Str(text) => text.len(),
                Value::List(items) => items.len(),
                _ => return None,
            };
            min.is_none_or(|min| length >= min as usize) && max.is_none_or(|max| length <= max as usize)
        }
        Test::EveryItem(_) | Test::SomeItem(_) => unreachable!("looked at before"),
    })
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![(-2_i64..5).prop_map(Value::from), "[ab]{0,3}".prop_map(Value::from)];
    let list = prop::collection::vec(scalar.clone(), 0..3).prop_map(Value::List);
    prop_oneof![3 => scalar, 1 => list]
}

fn operand() -> impl Strategy<Value = Given> {
    prop_oneof![value().prop_map(constant), (0..NAMES.len()).prop_map(named)]
}

fn test() -> impl Strategy<Value = Test<Given>> {
    let bound = || prop::option::of(0_u32..4);
    prop_oneof![
        operand().prop_map(Test::Is),
        operand().prop_map(Test::IsNot),
        operand().prop_map(Test::AtLeast),
        operand().prop_map(Test::AtMost),
        operand().prop_map(Test::MoreThan),
        operand().prop_map(Test::LessThan),
        (operand(), operand()).prop_map(|(least, most)| Test::Between(least, most)),
        prop::collection::vec(operand(), 0..3).prop_map(Test::OneOf),
        (1_u32..4).prop_map(Test::MultipleOf),
        Just(Test::Matches("a+|b".into())),
        operand().prop_map(Test::StartsWith),
        operand().prop_map(Test::EndsWith),
        operand().prop_map(Test::Includes),
        (bound(), bound()).prop_map(|(min, max)| Test::Length { min, max }),
    ]
}

fn predicate() -> impl Strategy<Value = Predicate<Given>> {
    let leaf = (operand(), test()).prop_map(|(value, test)| tested(Some(value), test));
    leaf.prop_recursive(4, 24, 3, |inner| {
        let of_item = || test().prop_map(|test| tested(None, test));
        let item = prop_oneof![of_item(), of_item().prop_map(|item| Predicate::Opposite(Box::new(item)))].boxed();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::All),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::Any),
            inner.prop_map(|part| Predicate::Opposite(Box::new(part))),
            (operand(), item.clone()).prop_map(|(value, item)| tested(Some(value), Test::EveryItem(Box::new(item)))),
            (operand(), item).prop_map(|(value, item)| tested(Some(value), Test::SomeItem(Box::new(item)))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_known_is_judged_as_by_brute_force(
        predicate in predicate(),
        values in prop::collection::vec(value(), NAMES.len()),
        known in prop::collection::vec(any::<bool>(), NAMES.len()),
    ) {
        let (expected, _) = brute(&predicate, &values, None);
        let all: Vec<_> = values.iter().cloned().map(Some).collect();
        match verdict(&predicate, &all) {
            Verdict::Holds => prop_assert!(expected),
            Verdict::Fails(reasons) => prop_assert!(!expected && !reasons.is_empty(), "{reasons:?}"),
            Verdict::Unknown => prop_assert!(false, "all is known"),
        }
        // A verdict that is reached before all values are known remains true, whatever the others are.
        let some: Vec<_> = all.iter().zip(&known).map(|(value, known)| value.clone().filter(|_| *known)).collect();
        match verdict(&predicate, &some) {
            Verdict::Holds => prop_assert!(expected),
            Verdict::Fails(_) => prop_assert!(!expected),
            Verdict::Unknown => prop_assert!(known.contains(&false)),
        }
    }

    #[test]
    fn no_secret_is_shown(predicate in predicate(), values in prop::collection::vec("[xyz]{8}", NAMES.len())) {
        let mut predicate = predicate;
        hide(&mut predicate);
        let known: Vec<_> = values.iter().map(|value| Some(Value::from(value.as_str()))).collect();
        if let Verdict::Fails(reasons) = verdict(&predicate, &known) {
            for value in &values {
                prop_assert!(reasons.iter().all(|reason| !reason.contains(value.as_str())), "{reasons:?}");
            }
        }
    }
}

fn hide(predicate: &mut Predicate<Given>) {
    match predicate {
        Predicate::All(parts) | Predicate::Any(parts) => parts.iter_mut().for_each(hide),
        Predicate::Opposite(part) => hide(part),
        Predicate::Tested(tested) => {
            tested.secret = true;
            if let Test::EveryItem(item) | Test::SomeItem(item) = &mut tested.test {
                hide(item);
            }
        }
    }
}

#[test]
fn what_is_so_and_must_be_otherwise_is_reported() {
    let ports = Value::List(vec![8080.into(), 80.into()]);
    let values = [Some(Value::from(1024)), Some("bob".into()), Some(ports)];
    let every = |test| tested(Some(named(2)), Test::EveryItem(Box::new(tested(None, test))));
    let secret = |predicate| {
        let mut predicate = predicate;
        hide(&mut predicate);
        predicate
    };
    let least = || tested(Some(named(0)), Test::AtLeast(constant(2048)));
    let user = || tested(Some(named(1)), Test::IsNot(constant("bob")));
    let mut lines = Vec::new();
    for predicate in [
        least(),
        user(),
        tested(Some(named(1)), Test::AtLeast(named(0))),
        tested(Some(named(0)), Test::Between(constant(1), constant(2))),
        tested(Some(constant(2)), Test::AtLeast(constant(3))),
        tested(Some(constant(false)), Test::Is(constant(true))),
        tested(Some(named(1)), Test::Length { min: Some(12), max: None }),
        tested(Some(named(1)), Test::Matches("[a-z]{4}".into())),
        every(Test::AtLeast(constant(1024))),
        tested(Some(named(2)), Test::SomeItem(Box::new(tested(None, Test::Is(constant(22)))))),
        tested(Some(named(0)), Test::EveryItem(Box::new(user()))),
        Predicate::Any(vec![least(), user()]),
        Predicate::All(vec![least(), user()]),
        Predicate::Opposite(Box::new(tested(Some(named(0)), Test::MultipleOf(2)))),
        secret(tested(Some(named(1)), Test::IsNot(named(0)))),
        secret(tested(Some(named(1)), Test::Length { min: Some(12), max: None })),
        secret(user()),
        secret(every(Test::AtLeast(constant(1024)))),
    ] {
        let known = |leaf: &Leaf| if let Leaf::Constant(value) = leaf { Some(value.clone()) } else { None };
        lines.push(format!("demanded: {}", demanded(&predicate, &known)));
        lines.push(match verdict(&predicate, &values) {
            Verdict::Fails(reasons) => format!("   found: {}", reasons.join("; ")),
            other => format!("   {other:?}"),
        });
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_message_names_the_requirement_its_place_and_the_reason() {
    let reasons = ["`a` is 1, but must be at least 2".to_owned()];
    let name: Name = "apps.memory".into();
    assert_eq!(
        unmet(&name, "src/lib.rs:3:5", &reasons, "it does not\n  start\n"),
        "the requirement `apps.memory` (src/lib.rs:3:5) does not hold: `a` is 1, but must be at least 2 (it does not start)"
    );
}
