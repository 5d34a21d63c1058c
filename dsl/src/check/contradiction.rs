//! Contradictions among predicates that must hold at the same time.

use std::cmp::Ordering;

use crate::model::{Expr, Predicate, Test, Tested, Value};
use crate::requirement::compare;

/// Two predicates that cannot both hold.
pub(super) struct Excluded<'p> {
    /// The indices of the predicates, in order; twice the same for one that excludes itself. `None` stands for the
    /// constraints of the value's own parameter.
    pub(super) of: [Option<usize>; 2],
    /// The value that they are about.
    pub(super) value: &'p Expr,
    pub(super) why: String,
}

/// What is known about values besides predicates.
pub(super) struct Known<'k> {
    /// Whether two texts are equal only if they are written the same way.
    pub(super) is_text: &'k dyn Fn(&Expr) -> bool,
    /// Whether a value fails a test.
    pub(super) fails: &'k dyn Fn(&Value, &Test<Expr>) -> bool,
}

/// The bounds of one value, each with the predicate that it comes from.
struct Bounds<'p> {
    value: &'p Expr,
    least: Option<(&'p Value, bool, Option<usize>)>,
    most: Option<(&'p Value, bool, Option<usize>)>,
    shortest: Option<(u32, Option<usize>)>,
    longest: Option<(u32, Option<usize>)>,
    texts: Vec<(&'p Value, Option<usize>)>,
    /// The sets that contain the value.
    sets: Vec<(Vec<&'p Value>, Option<usize>)>,
    tests: Vec<(&'p Test<Expr>, Option<usize>)>,
}

/// Finds predicates that exclude each other, or the limits `own` of the value itself, at most one pair for each value.
pub(super) fn excluded<'p>(
    predicates: impl IntoIterator<Item = &'p Predicate<Expr>>,
    own: impl IntoIterator<Item = &'p Tested<Expr>>,
    known: &Known<'_>,
) -> Vec<Excluded<'p>> {
    let mut parts = Vec::new();
    for (index, predicate) in predicates.into_iter().enumerate() {
        conjuncts(predicate, index, &mut parts);
    }
    let parts =
        own.into_iter().map(|tested| (tested, None)).chain(parts.into_iter().map(|(part, of)| (part, Some(of))));
    let mut all: Vec<Bounds<'_>> = Vec::new();
    for (Tested { value, test, secret }, of) in parts {
        let (Some(value), false) = (value, secret) else { continue };
        let index = all.iter().position(|known| known.value == value).unwrap_or_else(|| {
            all.push(Bounds {
                value,
                least: None,
                most: None,
                shortest: None,
                longest: None,
                texts: Vec::new(),
                sets: Vec::new(),
                tests: Vec::new(),
            });
            all.len() - 1
        });
        all[index].take(test, of);
    }
    all.iter().filter_map(|bounds| bounds.excluded(known)).collect()
}

impl<'p> Bounds<'p> {
    fn take(&mut self, test: &'p Test<Expr>, of: Option<usize>) {
        self.tests.push((test, of));
        let values = match test {
            Test::Is(one) => std::slice::from_ref(one),
            Test::OneOf(values) => values,
            _ => &[],
        };
        let set: Option<Vec<_>> = values.iter().map(Expr::constant).collect();
        self.sets.extend(set.filter(|set| !set.is_empty()).map(|set| (set, of)));
        match test {
            Test::AtLeast(one) => self.at_least(one.constant(), true, of),
            Test::MoreThan(one) => self.at_least(one.constant(), false, of),
            Test::AtMost(one) => self.at_most(one.constant(), true, of),
            Test::LessThan(one) => self.at_most(one.constant(), false, of),
            Test::Between(least, most) => {
                self.at_least(least.constant(), true, of);
                self.at_most(most.constant(), true, of);
            }
            Test::Is(one) => {
                self.at_least(one.constant(), true, of);
                self.at_most(one.constant(), true, of);
                self.texts.extend(one.constant().filter(|value| value.as_str().is_some()).map(|value| (value, of)));
            }
            Test::Length { min, max } => {
                if let Some(min) = min.filter(|min| self.shortest.is_none_or(|(known, _)| *min > known)) {
                    self.shortest = Some((min, of));
                }
                if let Some(max) = max.filter(|max| self.longest.is_none_or(|(known, _)| *max < known)) {
                    self.longest = Some((max, of));
                }
            }
            _ => {}
        }
    }

    fn at_least(&mut self, value: Option<&'p Value>, with: bool, of: Option<usize>) {
        let Some(value) = value.filter(|value| is_number(value)) else { return };
        let order = self.least.map(|(least, ..)| compare(value, least));
        if matches!(order, None | Some(Some(Ordering::Greater))) || order == Some(Some(Ordering::Equal)) && !with {
            self.least = Some((value, with, of));
        }
    }

    fn at_most(&mut self, value: Option<&'p Value>, with: bool, of: Option<usize>) {
        let Some(value) = value.filter(|value| is_number(value)) else { return };
        let order = self.most.map(|(most, ..)| compare(value, most));
        if matches!(order, None | Some(Some(Ordering::Less))) || order == Some(Some(Ordering::Equal)) && !with {
            self.most = Some((value, with, of));
        }
    }

    fn excluded(&self, known: &Known<'_>) -> Option<Excluded<'p>> {
        let excluded = |one: Option<usize>, other: Option<usize>, why| Excluded {
            of: [one.min(other), one.max(other)],
            value: self.value,
            why,
        };
        if let (Some((least, with_least, one)), Some((most, with_most, other))) = (self.least, self.most) {
            let is_empty = match compare(least, most) {
                Some(Ordering::Greater) => true,
                Some(Ordering::Equal) => !(with_least && with_most),
                _ => false,
            };
            if is_empty {
                let least = format!("{} {least}", if with_least { "at least" } else { "more than" });
                let most = format!("{} {most}", if with_most { "at most" } else { "less than" });
                return Some(excluded(one, other, format!("no value is {least} and {most}")));
            }
        }
        if let (Some((min, one)), Some((max, other))) = (self.shortest, self.longest)
            && min > max
        {
            return Some(excluded(one, other, format!("no length is at least {min} and at most {max}")));
        }
        let is_text = (known.is_text)(self.value);
        if let Some((first, one)) = self.texts.first().filter(|_| is_text)
            && let Some((second, other)) = self.texts.iter().find(|(text, _)| text != first)
        {
            return Some(excluded(*one, *other, format!("no value is both {first} and {second}")));
        }
        self.sets.iter().find_map(|(set, one)| {
            let is_compared = |value: &&Value| is_text || is_number(value) || matches!(value, Value::Boolean(_));
            let failed =
                |value: &Value| self.tests.iter().find(|(test, _)| (known.fails)(value, test)).map(|(_, of)| *of);
            if !set.iter().all(is_compared) {
                return None;
            }
            let failed: Option<Vec<_>> = set.iter().map(|value| failed(value)).collect();
            let other = *failed?.first()?;
            let shown: Vec<String> = set.iter().take(SHOWN).map(ToString::to_string).collect();
            let more = if set.len() > SHOWN { ", ..." } else { "" };
            Some(excluded(
                *one,
                other,
                match set.len() {
                    1 => format!("it must be {}, which is not allowed", shown[0]),
                    _ => format!("none of {}{more} is allowed", shown.join(", ")),
                },
            ))
        })
    }
}

/// The most values that a message lists.
const SHOWN: usize = 5;

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Float(_))
}

fn conjuncts<'p>(predicate: &'p Predicate<Expr>, of: usize, found: &mut Vec<(&'p Tested<Expr>, usize)>) {
    match predicate {
        Predicate::All(parts) => parts.iter().for_each(|part| conjuncts(part, of, found)),
        Predicate::Tested(tested) => found.push((tested, of)),
        Predicate::Any(_) | Predicate::Opposite(_) => {}
    }
}
