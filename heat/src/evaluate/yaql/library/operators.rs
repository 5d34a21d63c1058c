//! Operators, and the brackets of lists and maps.

use std::cmp::Ordering;

use wattle_model::names::count;

use super::super::item::{Item, Map};
use super::super::limits;
use super::super::machine::{Given, Machine, Sort, Stop, unknown, wrong};
use super::super::messages::no_key;
use super::super::overload::overloads;
use super::super::python;
use super::super::stream::iterate;
use super::math::{self, Arithmetic};

overloads! { TABLE:
    Function "#equal" (left: Any, right: Any) => |_, given| Ok(Item::Boolean(given.item(0).equals(given.item(1))?));
    Function "#not_equal" (left: Any, right: Any) => |_, given| Ok(Item::Boolean(!given.item(0).equals(given.item(1))?));
    Function "#operator_<" (left: Number, right: Number) => |_, given| number(&given, Ordering::is_lt);
    Function "#operator_<" (left: Text, right: Text) => |_, given| texts(&given, Ordering::is_lt);
    Function "#operator_<" (left: Nothing, right: Nothing) => |_, _| Ok(Item::Boolean(false));
    Function "#operator_<" (left: Nothing, right: NotNull) => |_, _| Ok(Item::Boolean(true));
    Function "#operator_<" (left: NotNull, right: Nothing) => |_, _| Ok(Item::Boolean(false));
    Function "#operator_<" (left: Set, right: Set) => |_, _| unknown();
    Function "#operator_<=" (left: Number, right: Number) => |_, given| number(&given, Ordering::is_le);
    Function "#operator_<=" (left: Text, right: Text) => |_, given| texts(&given, Ordering::is_le);
    Function "#operator_<=" (left: Nothing, right: Nothing) => |_, _| Ok(Item::Boolean(true));
    Function "#operator_<=" (left: Nothing, right: NotNull) => |_, _| Ok(Item::Boolean(true));
    Function "#operator_<=" (left: NotNull, right: Nothing) => |_, _| Ok(Item::Boolean(false));
    Function "#operator_<=" (left: Set, right: Set) => |_, _| unknown();
    Function "#operator_>" (left: Number, right: Number) => |_, given| number(&given, Ordering::is_gt);
    Function "#operator_>" (left: Text, right: Text) => |_, given| texts(&given, Ordering::is_gt);
    Function "#operator_>" (left: Nothing, right: Nothing) => |_, _| Ok(Item::Boolean(false));
    Function "#operator_>" (left: Nothing, right: NotNull) => |_, _| Ok(Item::Boolean(false));
    Function "#operator_>" (left: NotNull, right: Nothing) => |_, _| Ok(Item::Boolean(true));
    Function "#operator_>" (left: Set, right: Set) => |_, _| unknown();
    Function "#operator_>=" (left: Number, right: Number) => |_, given| number(&given, Ordering::is_ge);
    Function "#operator_>=" (left: Text, right: Text) => |_, given| texts(&given, Ordering::is_ge);
    Function "#operator_>=" (left: Nothing, right: Nothing) => |_, _| Ok(Item::Boolean(true));
    Function "#operator_>=" (left: Nothing, right: NotNull) => |_, _| Ok(Item::Boolean(false));
    Function "#operator_>=" (left: NotNull, right: Nothing) => |_, _| Ok(Item::Boolean(true));
    Function "#operator_>=" (left: Set, right: Set) => |_, _| unknown();
    Function "#operator_+" (left: Number, right: Number) =>
        |_, given| math::calculate(Arithmetic::Plus, given.item(0), given.item(1));
    Function "#operator_+" (; Text) => |_, given| Ok(Item::text(super::strings::joined(&given.rest)?));
    Function "#operator_+" (left: Map, right: Map) => |_, given| {
        let (left, right) = (given.map(0)?, given.map(1)?);
        let mut map = Map::new();
        for (key, value) in left.entries.iter().chain(&right.entries) {
            map.insert(key.clone(), value.clone())?;
        }
        Ok(map.item(false))
    };
    Function "#operator_+" (left: Iterable, right: Iterable) => |machine, given| match (given.item(0), given.item(1)) {
        (Item::Tuple(left), Item::Tuple(right)) => {
            limits::memory([given.item(0), given.item(1)])?;
            Item::tuple(left.items.iter().chain(&right.items).cloned().collect())
        }
        (Item::Set(left), Item::Set(right)) => Item::set(left.keys().into_iter().chain(right.keys())),
        (left, right) => {
            let (left, right) = (iterate(machine, left)?, iterate(machine, right)?);
            given.over(move |machine| match left.next(machine)? {
                Some(item) => Ok(Some(item)),
                None => right.next(machine),
            })
        }
    };
    Function "#operator_-" (left: Number, right: Number) =>
        |_, given| math::calculate(Arithmetic::Minus, given.item(0), given.item(1));
    Function "#operator_*" (left: Number, right: Number) =>
        |_, given| math::calculate(Arithmetic::Times, given.item(0), given.item(1));
    Function "#operator_*" (left: Text, right: Integer) => |_, given| repeated(given.item(0), given.item(1));
    Function "#operator_*" (left: Integer, right: Text) => |_, given| repeated(given.item(1), given.item(0));
    Function "#operator_*" (left: Sequence, right: Integer) => |_, given| repeated(given.item(0), given.item(1));
    Function "#operator_*" (left: Integer, right: Sequence) => |_, given| repeated(given.item(1), given.item(0));
    Function "#operator_/" (left: Number, right: Number) =>
        |_, given| math::calculate(Arithmetic::Over, given.item(0), given.item(1));
    Function "#operator_mod" (left: Number, right: Number) =>
        |_, given| math::calculate(Arithmetic::Modulo, given.item(0), given.item(1));
    Function "#unary_operator_+" (op: Number) => |_, given| Ok(given.item(0).clone());
    Function "#unary_operator_-" (op: Number) =>
        |_, given| match given.item(0) {
            Item::Float(value) => Ok(Item::Float(-value)),
            value => math::calculate(Arithmetic::Minus, &Item::Integer(0), value),
        };
    Function "#unary_operator_not" (arg: Any) => |_, given| Ok(Item::Boolean(!given.item(0).truth()?));
    Function "#operator_in" (left: Text, right: Text) =>
        |_, given| Ok(Item::Boolean(given.text(1)?.contains(&*given.text(0)?)));
    Function "#operator_in" (value: Any, collection: Iterable) =>
        |machine, given| super::searches::contains(machine, given.item(1), given.item(0));
    Function "#list" (; Any) => |_, given| {
        limits::memory(&given.rest)?;
        Item::tuple(given.rest)
    };
    Function,Rules "#map" (; Rule) => |_, given| map_of(given);
    Function "#indexer" (list: Sequence, index: Integer) => index;
    Function "#indexer" (dict: Map, key: Any) => |_, given| match (given.map(0)?.get(given.item(1))?, given.item(1)) {
        (Some(value), _) => Ok(value.clone()),
        (None, key) => wrong(no_key(&*given.map(0)?, &python::text(key)?)),
    };
    Function "#indexer" (dict: Map, key: Any, default: Any) =>
        |_, given| Ok(given.map(0)?.get(given.item(1))?.unwrap_or(given.item(2)).clone());
}

fn number(given: &Given, is: fn(Ordering) -> bool) -> Result<Item, Stop> {
    match math::compared(given.item(0), given.item(1)) {
        Some(ordering) => Ok(Item::Boolean(is(ordering))),
        None => unknown(),
    }
}

fn texts(given: &Given, is: fn(Ordering) -> bool) -> Result<Item, Stop> {
    Ok(Item::Boolean(is(given.text(0)?.cmp(&given.text(1)?))))
}

pub(super) fn map_of(given: Given) -> Result<Item, Stop> {
    let mut map = Map::new();
    for rule in given.rest {
        let Item::Rule(rule) = rule else { return unknown() };
        map.insert(rule.0.clone(), rule.1.clone())?;
    }
    Ok(map.item(false))
}

fn index(_: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let Some(items) = given.item(0).row() else { return unknown() };
    let index = given.integer(1)?;
    let length = i128::try_from(items.len()).unwrap_or(i128::MAX);
    let at = if index < 0 { index.saturating_add(length) } else { index };
    match usize::try_from(at).ok().and_then(|at| items.get(at)) {
        Some(item) => Ok(item.clone()),
        None => {
            Err(Stop::Wrong(Sort::Index, format!("a list of {} has no item at {index}", count(items.len(), "item"))))
        }
    }
}

/// Repeats a text or a list. Whether Heat allows the result is computed before it is created.
fn repeated(of: &Item, times: &Item) -> Result<Item, Stop> {
    let times = super::integer(times)?;
    let Ok(times) = usize::try_from(times.max(0)) else { return unknown() };
    let (empty, (least, most)) = match of {
        Item::Text(_) => (49, limits::bytes(of)),
        of => (56, limits::bytes(of)),
    };
    let all = |size: usize| size.saturating_sub(empty).saturating_mul(times);
    limits::enough((all(least), all(most).saturating_add(empty)))?;
    match of {
        Item::Text(text) => Ok(Item::text(text.repeat(times))),
        Item::Tuple(row) => Item::tuple(many(&row.items, times)?),
        Item::List(row) => Item::list(many(&row.items, times)?),
        _ => unknown(),
    }
}

fn many(items: &[Item], times: usize) -> Result<Vec<Item>, Stop> {
    let length = items.len().saturating_mul(times);
    if length > 10_000 { unknown() } else { Ok(items.iter().cycle().take(length).cloned().collect()) }
}
