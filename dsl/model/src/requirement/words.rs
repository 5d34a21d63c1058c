//! Messages about requirements: what they demand, and what is the case instead. No message contains a secret value.

use crate::{Predicate, Source, Test, Tested, Value};

use super::Operand;

/// The most characters of a value that a message shows.
const SHOWN: usize = 200;

/// The message for a requirement that does not hold, in one line.
pub fn unmet(name: &str, at: &str, reasons: &[String], because: &str) -> String {
    let place = if at.is_empty() { String::new() } else { format!(" ({at})") };
    let because = one_line(because);
    let because = if because.is_empty() { String::new() } else { format!(" ({because})") };
    format!("the requirement `{name}`{place} does not hold: {}{because}", reasons.join("; "))
}

/// The text in one line, with each run of white space replaced by one space.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `predicate` demands, with the names of its values: `` `memory` must be at least 2048 ``.
pub fn demanded<V>(predicate: &Predicate<Operand<V>>, value: &impl Fn(&V) -> Option<Value>) -> String {
    demand(predicate, true, None, value)
}

/// The list or map whose item the message is about, and whether it is secret.
type Within<'w> = Option<(&'w str, bool)>;

fn demand<V>(
    predicate: &Predicate<Operand<V>>,
    wanted: bool,
    item: Within<'_>,
    value: &impl Fn(&V) -> Option<Value>,
) -> String {
    match (predicate, wanted) {
        (Predicate::All(parts), true) | (Predicate::Any(parts), false) => {
            joined(parts.iter().map(|part| demand(part, wanted, item, value)), ", and ")
        }
        (Predicate::Any(parts), true) | (Predicate::All(parts), false) => {
            joined(parts.iter().map(|part| demand(part, wanted, item, value)), ", or ")
        }
        (Predicate::Opposite(part), _) => demand(part, !wanted, item, value),
        (Predicate::Tested(tested), _) => demand_of(tested, wanted, item, value),
    }
}

fn joined(parts: impl Iterator<Item = String>, by: &str) -> String {
    parts.collect::<Vec<_>>().join(by)
}

fn demand_of<V>(
    tested: &Tested<Operand<V>>,
    wanted: bool,
    item: Within<'_>,
    value: &impl Fn(&V) -> Option<Value>,
) -> String {
    let secret = tested.secret || (tested.value.is_none() && item.is_some_and(|(_, secret)| secret));
    let name = match (&tested.value, item) {
        (Some(operand), _) => match &operand.name {
            Some(name) => format!("`{name}`"),
            None => shown(value(&operand.from).as_ref(), secret),
        },
        (None, Some((item, _))) => item.to_owned(),
        (None, None) => "the item".to_owned(),
    };
    if let Test::EveryItem(predicate) | Test::SomeItem(predicate) = &tested.test {
        let every = matches!(tested.test, Test::EveryItem(_)) == wanted;
        let item = format!("{} of {name}", if every { "every item" } else { "an item" });
        return demand(predicate, wanted, Some((&item, secret)), value);
    }
    let named: Vec<Option<Value>> = constants(&tested.test, value);
    format!("{name} must {}", phrase(&tested.test, wanted, secret, &Comparands::Constant(&named)))
}

fn constants<V>(test: &Test<Operand<V>>, value: &impl Fn(&V) -> Option<Value>) -> Vec<Option<Value>> {
    let mut found = Vec::new();
    test.each(&mut |operand| found.push(if operand.name.is_none() { value(&operand.from) } else { None }));
    found
}

/// The subject of a message.
pub(super) struct Subject<'s> {
    /// Its name. `None` for a constant.
    pub(super) name: Option<String>,
    pub(super) value: &'s Value,
    pub(super) secret: bool,
}

impl Subject<'_> {
    pub(super) fn called(&self) -> String {
        self.name.clone().unwrap_or_else(|| shown(Some(self.value), self.secret))
    }

    pub(super) fn is_no_list(&self) -> String {
        format!("{} is {}, but must be a list or a map", self.called(), self.value.kind())
    }

    pub(super) fn is_empty(&self) -> String {
        format!("{} has no item", self.called())
    }
}

/// The values that a test compares with.
pub(super) enum Comparands<'c> {
    /// All values are known.
    Known(&'c [Value]),
    /// Only constants are known.
    Constant(&'c [Option<Value>]),
}

impl Comparands<'_> {
    fn get(&self, index: usize) -> Option<&Value> {
        match self {
            Self::Known(values) => values.get(index),
            Self::Constant(values) => values.get(index)?.as_ref(),
        }
    }
}

/// What is the case, and what must be.
pub(super) fn reason<V>(subject: &Subject<'_>, test: &Test<Operand<V>>, wanted: bool, given: Comparands<'_>) -> String {
    let phrase = phrase(test, wanted, subject.secret, &given);
    match &subject.name {
        None if matches!((test, subject.value), (Test::Is(_), Value::Boolean(_))) && !subject.secret => {
            format!("the blueprint found {}", subject.value)
        }
        Some(name) if subject.secret => format!("{name} must {phrase}; its value is secret"),
        Some(name) => format!("{name} is {}, but must {phrase}", shown(Some(subject.value), false)),
        None => format!("{} must {phrase}", subject.called()),
    }
}

fn shown(value: Option<&Value>, secret: bool) -> String {
    match value {
        _ if secret => "(secret)".to_owned(),
        None => "(unknown)".to_owned(),
        Some(value) => {
            let text = value.to_string();
            match text.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

fn phrase<V>(test: &Test<Operand<V>>, wanted: bool, secret: bool, given: &Comparands<'_>) -> String {
    let mut names = Vec::new();
    test.each(&mut |operand| names.push(operand.name.clone()));
    let one = |index: usize| match names.get(index) {
        Some(Some(name)) => match given.get(index) {
            Some(value) if !secret => format!("`{name}` ({})", shown(Some(value), false)),
            _ => format!("`{name}`"),
        },
        _ => shown(given.get(index), secret),
    };
    let not = |wanted: bool| if wanted { "" } else { "not " };
    let is = |what: String| format!("{}be {what}", not(wanted));
    let verb = |what: &str, of: String| format!("{}{what} {of}", not(wanted));
    match test {
        Test::Is(_) => is(one(0)),
        Test::IsNot(_) => format!("{}be {}", not(!wanted), one(0)),
        Test::AtLeast(_) => is(format!("at least {}", one(0))),
        Test::AtMost(_) => is(format!("at most {}", one(0))),
        Test::MoreThan(_) => is(format!("more than {}", one(0))),
        Test::LessThan(_) => is(format!("less than {}", one(0))),
        Test::Between(..) => is(format!("between {} and {}", one(0), one(1))),
        Test::OneOf(values) => is(format!("one of {}", joined((0..values.len()).map(one), ", "))),
        Test::MultipleOf(step) => is(format!("a multiple of {step}")),
        Test::Matches(_) if secret => verb("match", "its pattern".to_owned()),
        Test::Matches(pattern) => verb("match", format!("`{pattern}` as a whole")),
        Test::StartsWith(_) => verb("start with", one(0)),
        Test::EndsWith(_) => verb("end with", one(0)),
        Test::Includes(_) => verb("include", one(0)),
        Test::Length { min, max } => verb("have a length", length(*min, *max)),
        Test::EveryItem(_) | Test::SomeItem(_) => is("a list".to_owned()),
    }
}

fn length(min: Option<u32>, max: Option<u32>) -> String {
    match (min, max) {
        (Some(min), Some(max)) if min == max => format!("of {min}"),
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("of at least {min}"),
        (None, Some(max)) => format!("of at most {max}"),
        (None, None) => "at all".to_owned(),
    }
}

/// A place as messages show it. Empty if it is not known.
pub fn place(at: &Source) -> String {
    if at.is_known() { at.portable() } else { String::new() }
}
