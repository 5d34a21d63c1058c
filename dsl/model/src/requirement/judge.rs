//! The evaluator: whether a predicate holds of values, as far as they are known.

use crate::{Predicate, Test, Tested, Value};

use super::Operand;
use super::number::{compare, same};
use super::pattern;
use super::words::{Comparands, Subject, reason};

/// The result of evaluating a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not hold. Each entry says in one line what is the case and what must be, without any secret value.
    Fails(Vec<String>),
    /// More values must be known to decide.
    Unknown,
}

impl Verdict {
    fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let (mut reasons, mut unknown) = (Vec::new(), false);
        for part in parts {
            match part {
                Self::Holds => {}
                Self::Fails(of_part) => reasons.extend(of_part),
                Self::Unknown => unknown = true,
            }
        }
        match (reasons.is_empty(), unknown) {
            (false, _) => Self::Fails(reasons),
            (true, true) => Self::Unknown,
            (true, false) => Self::Holds,
        }
    }

    /// Holds if at least one part holds. `nothing` supplies the reason when there are no parts.
    fn any(parts: impl IntoIterator<Item = Self>, nothing: impl FnOnce() -> String) -> Self {
        let (mut reasons, mut unknown) = (Vec::new(), false);
        for part in parts {
            match part {
                Self::Holds => return Self::Holds,
                Self::Fails(of_part) => reasons.push(of_part.join(", and ")),
                Self::Unknown => unknown = true,
            }
        }
        match reasons.as_slice() {
            _ if unknown => Self::Unknown,
            [] => Self::Fails(vec![nothing()]),
            [_] => Self::Fails(reasons),
            _ => Self::Fails(vec![format!("one must change: {}", reasons.join(", or "))]),
        }
    }
}

/// Evaluates `predicate`. `value` returns each value, as far as it is known.
///
/// If a test does not apply to a value, both the test and its negation fail: text is neither at least 5 nor less than 5. No
/// message shows a value that is marked as [`Tested::secret`].
pub fn judge<V>(predicate: &Predicate<Operand<V>>, value: &mut impl FnMut(&V) -> Option<Value>) -> Verdict {
    of(predicate, true, None, value)
}

/// An item of a list or a map.
struct Item<'i> {
    value: &'i Value,
    name: String,
    secret: bool,
}

/// Evaluates the predicate; `wanted` says whether it should hold.
fn of<V>(
    predicate: &Predicate<Operand<V>>,
    wanted: bool,
    item: Option<&Item<'_>>,
    value: &mut impl FnMut(&V) -> Option<Value>,
) -> Verdict {
    match (predicate, wanted) {
        (Predicate::All(parts), true) | (Predicate::Any(parts), false) => {
            Verdict::all(parts.iter().map(|part| of(part, wanted, item, value)))
        }
        (Predicate::Any(parts), true) | (Predicate::All(parts), false) => {
            Verdict::any(parts.iter().map(|part| of(part, wanted, item, value)), || "no value is allowed".to_owned())
        }
        (Predicate::Opposite(part), _) => of(part, !wanted, item, value),
        (Predicate::Tested(tested), _) => tested_of(tested, wanted, item, value),
    }
}

fn tested_of<V>(
    tested: &Tested<Operand<V>>,
    wanted: bool,
    item: Option<&Item<'_>>,
    value: &mut impl FnMut(&V) -> Option<Value>,
) -> Verdict {
    let secret = tested.secret || (tested.value.is_none() && item.is_some_and(|item| item.secret));
    let (name, subject) = match (&tested.value, item) {
        (Some(operand), _) => (operand.name.as_ref().map(|name| format!("`{name}`")), value(&operand.from)),
        (None, Some(item)) => (Some(item.name.clone()), Some(item.value.clone())),
        (None, None) => return Verdict::Fails(vec!["an item is tested outside of a list".to_owned()]),
    };
    let mut given = Some(Vec::new());
    tested.test.each(&mut |operand| match (value(&operand.from), &mut given) {
        (Some(known), Some(given)) => given.push(known),
        _ => given = None,
    });
    let (Some(subject), Some(given)) = (subject, given) else { return Verdict::Unknown };
    let shown = Subject { name, value: &subject, secret };
    if let Test::EveryItem(predicate) | Test::SomeItem(predicate) = &tested.test {
        let every = matches!(tested.test, Test::EveryItem(_)) == wanted;
        let Some(items) = items(&subject) else { return Verdict::Fails(vec![shown.is_no_list()]) };
        let each = items.into_iter().map(|(key, item)| {
            let item = Item { value: item, name: format!("item {key} of {}", shown.called()), secret };
            of(predicate, wanted, Some(&item), value)
        });
        return if every { Verdict::all(each) } else { Verdict::any(each, || shown.is_empty()) };
    }
    if holds(&tested.test, &subject, &given) == Some(wanted) {
        Verdict::Holds
    } else {
        Verdict::Fails(vec![reason(&shown, &tested.test, wanted, Comparands::Known(&given))])
    }
}

/// The items of a list or a map, each with its index or key.
fn items(value: &Value) -> Option<Vec<(String, &Value)>> {
    match value {
        Value::List(items) => Some(items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()),
        Value::Map(items) => Some(items.iter().map(|(name, item)| (format!("`{name}`"), item)).collect()),
        _ => None,
    }
}

/// Whether `value` passes the test. `None` if the test does not apply to such a value.
fn holds<V>(asked: &Test<Operand<V>>, value: &Value, given: &[Value]) -> Option<bool> {
    let number = |index: usize| compare(value, given.get(index)?);
    let text = |index: usize| Some((value.as_str()?, given.get(index)?.as_str()?));
    match asked {
        Test::Is(_) => Some(same(value, given.first()?)),
        Test::IsNot(_) => Some(!same(value, given.first()?)),
        Test::AtLeast(_) => Some(number(0)?.is_ge()),
        Test::AtMost(_) => Some(number(0)?.is_le()),
        Test::MoreThan(_) => Some(number(0)?.is_gt()),
        Test::LessThan(_) => Some(number(0)?.is_lt()),
        Test::Between(..) => Some(number(0)?.is_ge() && number(1)?.is_le()),
        Test::OneOf(_) => Some(given.iter().any(|one| same(value, one))),
        Test::MultipleOf(step) => match value {
            Value::Integer(number) => Some(*step != 0 && number % i128::from(*step) == 0),
            Value::Float(number) => Some(*step != 0 && number % f64::from(*step) == 0.0),
            _ => None,
        },
        Test::Matches(pattern) => Some(pattern::compiled(pattern).ok()?.is_match(value.as_str()?)),
        Test::StartsWith(_) => text(0).map(|(text, start)| text.starts_with(start)),
        Test::EndsWith(_) => text(0).map(|(text, end)| text.ends_with(end)),
        Test::Includes(_) => match value {
            Value::List(items) => Some(items.iter().any(|item| given.first().is_some_and(|part| same(item, part)))),
            Value::Map(items) => Some(items.contains_key(given.first()?.as_str()?)),
            _ => text(0).map(|(text, part)| text.contains(part)),
        },
        Test::Length { min, max } => {
            let length = match value {
                Value::Str(text) => text.chars().count(),
                Value::List(items) => items.len(),
                Value::Map(items) => items.len(),
                _ => return None,
            };
            let least = min.and_then(|min| usize::try_from(min).ok()).unwrap_or(0);
            let most = max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
            Some((least..=most).contains(&length))
        }
        Test::EveryItem(_) | Test::SomeItem(_) => None,
    }
}
