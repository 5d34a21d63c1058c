//! YAQL, the language of the function `yaql`, evaluated like the Python library that Heat uses.
//!
//! What lives here: reading an expression ([`lexer`], [`parser`]), evaluating it ([`machine`], [`library`]), and Heat's
//! limits ([`limits`]). What must not: anything about templates. An expression yields the value that Heat would get, is
//! refused if Heat would fail, or is unknown. It is unknown if it depends on time, on chance, on the order of a set, or on
//! a running stack, if it calls functions that are not computed here ([`library::is_not_computed`]), and if it takes too
//! long.

mod arguments;
mod context;
mod expression;
mod item;
mod lexer;
mod library;
mod limits;
mod machine;
mod messages;
mod overload;
mod parser;
mod python;
mod regex;
mod stream;

use std::cell::Cell;

use crate::template::Call;
use crate::yaml::{Node, Place, Span, Tree};

use self::context::Context;
use self::item::{Item, Map};
use self::lexer::Broken;
use self::machine::{Machine, Stop};
use super::call::wrong;
use super::{Fault, Scope, Value};

/// The most steps of one expression.
const STEPS: u64 = 100_000;

/// The number of steps that count as one created value.
const STEPS_OF_A_VALUE: u64 = 8;

/// Faults that YAQL finds in an expression before evaluating it.
pub(super) fn form(call: &Call<'_>, expression: &Node, text: &str) -> Option<Fault> {
    match parser::parse(text) {
        Err(Broken::Wrong { at, why }) => {
            let at = at.min(text.chars().count());
            let mut fault = wrong(call, format!("its expression cannot be read{}: {why}", before(text, at)));
            fault.span = place(expression, text, at);
            Some(fault)
        }
        Ok(_) | Err(Broken::Unknown) => None,
    }
}

/// A position in an expression, worded for a message.
fn before(text: &str, at: usize) -> String {
    let rest: String = text.chars().skip(at).take_while(|sign| *sign != '\n').collect();
    let rest = rest.trim_end();
    if rest.is_empty() {
        return String::new();
    }
    let few: String = rest.chars().take(20).collect();
    let more = if few.len() < rest.len() { "..." } else { "" };
    format!(" at `{few}{more}`")
}

/// The place in the template of a character in an expression, if the expression is written literally on one line. Otherwise
/// the place of the expression.
fn place(expression: &Node, text: &str, at: usize) -> Span {
    let span = expression.span;
    let length = text.chars().count();
    let Tree::Text { plain, .. } = &*expression.tree else { return span };
    let quotes = usize::from(!*plain);
    let columns = span.end.column.saturating_sub(span.start.column) as usize;
    if span.start.line != span.end.line || columns != length + 2 * quotes {
        return span;
    }
    let column = |more: usize| Place {
        column: span.start.column.saturating_add(u32::try_from(quotes + more).unwrap_or(u32::MAX)),
        ..span.start
    };
    let at = at.min(length.saturating_sub(1));
    Span { start: column(at), end: column(at + 1) }
}

impl Scope<'_> {
    /// The result of an expression for its data.
    pub(super) fn yaql(&self, call: &Call<'_>, argument: &Value) -> Result<Value, Fault> {
        let Value::Map(parts) = argument else { return Ok(Value::Unknown) };
        let text = match parts.get("expression") {
            Some(Value::Text(text)) => text,
            Some(Value::Unknown) | None => return Ok(Value::Unknown),
            Some(other) => return Err(wrong(call, format!("its expression must be a string, not {}", other.kind()))),
        };
        let empty = Value::Map(wattle_model::IndexMap::default());
        let data = parts.get("data").unwrap_or(&empty);
        let allowed = STEPS.min((self.limits.budget.saturating_sub(self.limits.spent.get())) * STEPS_OF_A_VALUE);
        let left = Cell::new(allowed);
        let result = compute(text, data, &left);
        let spent = (allowed - left.get()) / STEPS_OF_A_VALUE;
        self.limits.spent.set(self.limits.spent.get().saturating_add(spent));
        match result {
            Ok(value) => Ok(self.afford(value.size(), value)),
            Err(Stop::Unknown) => Ok(Value::Unknown),
            Err(Stop::Wrong(_, why)) => Err(wrong(call, why)),
        }
    }
}

fn compute(text: &str, data: &Value, left: &Cell<u64>) -> Result<Value, Stop> {
    let expression = match parser::parse(text) {
        Ok(expression) => expression,
        Err(Broken::Wrong { at, why }) => {
            return machine::wrong(format!("its expression cannot be read{}: {why}", before(text, at)));
        }
        Err(Broken::Unknown) => return Err(Stop::Unknown),
    };
    let machine = Machine::new(left);
    let mut all = Map::new();
    all.insert(Item::text("data"), item(&machine, data)?)?;
    let context = Context::of(all.item(false));
    let result = machine.evaluate(&expression, None, &context)?;
    limits::memory([&result])?;
    value(&machine, &result)
}

/// Converts data to YAQL's form.
fn item(machine: &Machine<'_>, value: &Value) -> Result<Item, Stop> {
    machine.step(1)?;
    Ok(match value {
        Value::Null | Value::Absent => Item::Null,
        Value::Unknown | Value::Open(_) => Item::Unknown,
        Value::Boolean(value) => Item::Boolean(*value),
        Value::Integer(value) => Item::Integer(*value),
        Value::Float(value) => Item::Float(*value),
        Value::Text(text) => Item::text(text.as_str()),
        Value::List(items) => Item::tuple(items.iter().map(|value| item(machine, value)).collect::<Result<_, _>>()?)?,
        Value::Map(items) => {
            let mut map = Map::new();
            for (key, value) in items {
                map.insert(Item::text(key.as_str()), item(machine, value)?)?;
            }
            map.item(false)
        }
    })
}

/// Converts a result of YAQL to the value that Heat receives.
fn value(machine: &Machine<'_>, item: &Item) -> Result<Value, Stop> {
    machine.deeper(|| {
        Ok(match item {
            Item::Null => Value::Null,
            Item::Boolean(value) => Value::Boolean(*value),
            Item::Integer(value) => Value::Integer(*value),
            Item::Float(value) if value.is_finite() => Value::Float(*value),
            Item::Text(text) => Value::Text(text.to_string()),
            Item::Unknown => Value::Unknown,
            Item::Map(map) => {
                limits::limited(item.clone())?;
                let mut out = wattle_model::IndexMap::default();
                for (key, item) in &map.entries {
                    // Heat keeps a key that is not text, and converts it only when the result is read.
                    let Item::Text(key) = key else { return Err(Stop::Unknown) };
                    out.insert(key.to_string(), value(machine, item)?);
                }
                Value::Map(out)
            }
            // A set has no order, and Heat does not treat it as a list.
            item if item.is_iterable() && !item.is_set() => {
                let items = limits::iterable(machine, item)?;
                let mut out = Vec::new();
                while let Some(item) = items.next(machine)? {
                    out.push(value(machine, &item)?);
                }
                Value::List(out)
            }
            _ => return Err(Stop::Unknown),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(text: &str) -> Result<Value, Stop> {
        compute(text, &Value::Null, &Cell::new(STEPS))
    }

    #[test]
    fn what_takes_too_long_is_not_known() {
        for text in [
            "range(200).select(range(200).select(range(200).sum()).sum()).sum()",
            "def(f, f($)) -> f(1)",
            "range(199).aggregate([$1], 0)",
            "range(199).aggregate($1.select($), [1]).toList()",
            "('a' * 9000).replace('', 'b' * 9000).len()",
        ] {
            assert!(matches!(computed(text), Err(Stop::Unknown)), "{text}: {:?}", computed(text));
        }
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(matches!(computed(&deep), Err(Stop::Unknown)));
        assert!(matches!(computed(&format!("1{}", "+1".repeat(100_000))), Err(Stop::Unknown)));
    }

    #[test]
    fn nothing_is_computed_before_it_is_needed() {
        assert_eq!(computed("[1, 0].select(1 / $).first()").ok(), Some(Value::Integer(1)));
        assert_eq!(computed("let(range(4)) -> $.sum() + $.len()").ok(), Some(Value::Integer(6)));
        assert_eq!(computed("let(range(4).memorize()) -> $.sum() + $.len()").ok(), Some(Value::Integer(10)));
    }
}
