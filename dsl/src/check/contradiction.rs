//! What excludes each other among what must hold at the same time.

use std::cmp::Ordering;

use crate::model::{Expr, Predicate, Test, Tested, Value};
use crate::requirement::compare;

/// Two predicates that cannot both hold.
pub(super) struct Excluded {
    /// Which of them, in their order; the same twice for one that excludes itself.
    pub(super) of: [usize; 2],
    pub(super) why: String,
}

/// What is required of one value, each bound with the predicate that it is of.
struct Bounds<'p> {
    value: &'p Expr,
    least: Option<(&'p Value, bool, usize)>,
    most: Option<(&'p Value, bool, usize)>,
    shortest: Option<(u32, usize)>,
    longest: Option<(u32, usize)>,
    texts: Vec<(&'p Value, usize)>,
}

/// Which of `predicates` exclude each other, one pair of each value. `is_text` says of which values two texts are never the
/// same unless they are written the same.
pub(super) fn excluded<'p>(
    predicates: impl IntoIterator<Item = &'p Predicate<Expr>>,
    is_text: impl Fn(&Expr) -> bool,
) -> Vec<Excluded> {
    let mut parts = Vec::new();
    for (index, predicate) in predicates.into_iter().enumerate() {
        conjuncts(predicate, index, &mut parts);
    }
    let mut all: Vec<Bounds<'_>> = Vec::new();
    for (Tested { value, test, secret }, of) in parts {
        let (Some(value), false) = (value, secret) else { continue };
        let index = all.iter().position(|known| known.value == value).unwrap_or_else(|| {
            let (shortest, longest, texts) = (None, None, Vec::new());
            all.push(Bounds { value, least: None, most: None, shortest, longest, texts });
            all.len() - 1
        });
        all[index].take(test, of);
    }
    all.iter().filter_map(|bounds| bounds.excluded(&is_text)).collect()
}

impl<'p> Bounds<'p> {
    fn take(&mut self, test: &'p Test<Expr>, of: usize) {
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

    fn at_least(&mut self, value: Option<&'p Value>, with: bool, of: usize) {
        let Some(value) = value.filter(|value| is_number(value)) else { return };
        let order = self.least.map(|(least, ..)| compare(value, least));
        if matches!(order, None | Some(Some(Ordering::Greater))) || order == Some(Some(Ordering::Equal)) && !with {
            self.least = Some((value, with, of));
        }
    }

    fn at_most(&mut self, value: Option<&'p Value>, with: bool, of: usize) {
        let Some(value) = value.filter(|value| is_number(value)) else { return };
        let order = self.most.map(|(most, ..)| compare(value, most));
        if matches!(order, None | Some(Some(Ordering::Less))) || order == Some(Some(Ordering::Equal)) && !with {
            self.most = Some((value, with, of));
        }
    }

    fn excluded(&self, is_text: impl Fn(&Expr) -> bool) -> Option<Excluded> {
        let excluded = |one: usize, other: usize, why| Excluded { of: [one.min(other), one.max(other)], why };
        if let (Some((least, with_least, one)), Some((most, with_most, other))) = (self.least, self.most) {
            let is_empty = match compare(least, most) {
                Some(Ordering::Greater) => true,
                Some(Ordering::Equal) => !(with_least && with_most),
                _ => false,
            };
            if is_empty {
                let least = format!("{} {least}", if with_least { "at least" } else { "more than" });
                let most = format!("{} {most}", if with_most { "at most" } else { "less than" });
                return Some(excluded(one, other, format!("nothing is {least} and {most}")));
            }
        }
        if let (Some((min, one)), Some((max, other))) = (self.shortest, self.longest)
            && min > max
        {
            return Some(excluded(one, other, format!("no length is at least {min} and at most {max}")));
        }
        let (first, one) = self.texts.first()?;
        let (second, other) = self.texts.iter().find(|(text, _)| text != first)?;
        is_text(self.value).then(|| excluded(*one, *other, format!("nothing is both {first} and {second}")))
    }
}

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
