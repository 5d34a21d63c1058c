//! Functions that reduce a list to one value: an item, a position, a sum, a test.

use super::super::context::Lambda;
use super::super::item::{Item, Part};
use super::super::machine::{Given, Machine, Stop, unknown, wrong};
use super::super::overload::{Default, overloads};
use super::super::stream::{Stream, iterate};
use super::counted;
use super::math;

overloads! { TABLE:
    Method "first" (collection: Iterable, default: Any = Default::Missing) => |machine, given| {
        match given.stream(machine, 0)?.next(machine)? {
            Some(item) => Ok(item),
            None => or_default(&given, "first"),
        }
    };
    Method "last" (collection: Iterable, default: Any = Default::Missing) => |machine, given| {
        match machine.items(given.item(0))?.pop() {
            Some(item) => Ok(item),
            None => or_default(&given, "last"),
        }
    };
    Method "single" (collection: Iterable) => |machine, given| {
        let stream = given.stream(machine, 0)?;
        match (stream.next(machine)?, stream.next(machine)?) {
            (Some(item), None) => Ok(item),
            (Some(_), Some(_)) => wrong("`single` takes a list with one item, but this one has more"),
            (None, _) => wrong("`single` takes a list with one item, but this one is empty"),
        }
    };
    Both "any" (collection: Iterable, predicate: Lambda = Default::Null) => |machine, given| {
        let (stream, predicate) = (given.stream(machine, 0)?, given.lambda_or_none(1)?);
        while let Some(item) = stream.next(machine)? {
            let Some(predicate) = &predicate else { return Ok(Item::Boolean(true)) };
            if predicate.call(machine, &[item])?.truth()? {
                return Ok(Item::Boolean(true));
            }
        }
        Ok(Item::Boolean(false))
    };
    Both "all" (collection: Iterable, predicate: Lambda = Default::Null) => |machine, given| {
        let (stream, predicate) = (given.stream(machine, 0)?, given.lambda_or_none(1)?);
        while let Some(item) = stream.next(machine)? {
            let value = match &predicate {
                Some(predicate) => predicate.call(machine, &[item])?,
                None => item,
            };
            if !value.truth()? {
                return Ok(Item::Boolean(false));
            }
        }
        Ok(Item::Boolean(true))
    };
    Both "len" (collection: Iterator) => |machine, given| Ok(counted(machine.items(given.item(0))?.len()));
    Method "count" (collection: Iterable) => |machine, given| match given.item(0) {
        // The order does not matter.
        Item::Set(map) => Ok(counted(map.entries.len())),
        other => Ok(counted(machine.items(other)?.len())),
    };
    Method "contains" (collection: Iterable, value: Any) => |machine, given| contains(machine, given.item(0), given.item(1));
    Method "indexOf" (collection: Iterable, item: Any) => |machine, given| {
        let item = given.item(1).clone();
        place(&given.stream(machine, 0)?, machine, false, |_, other| other.equals(&item))
    };
    Method "lastIndexOf" (collection: Iterable, item: Any) => |machine, given| {
        let item = given.item(1).clone();
        place(&given.stream(machine, 0)?, machine, true, |_, other| other.equals(&item))
    };
    Method "indexWhere" (collection: Iterable, predicate: Lambda) => |machine, given| {
        let predicate = given.lambda(1)?;
        place(&given.stream(machine, 0)?, machine, false, |machine, item| holds(&predicate, machine, item))
    };
    Method "lastIndexWhere" (collection: Iterable, predicate: Lambda) => |machine, given| {
        let predicate = given.lambda(1)?;
        place(&given.stream(machine, 0)?, machine, true, |machine, item| holds(&predicate, machine, item))
    };
    Method "aggregate" (collection: Iterable, selector: Lambda, seed: Any = Default::Missing) => aggregated;
    Method "reduce" (collection: Iterable, selector: Lambda, seed: Any = Default::Missing) => aggregated;
    Method "accumulate" (collection: Iterable, selector: Lambda, seed: Any = Default::Missing) => |machine, given| {
        let (source, selector) = (given.stream(machine, 0)?, given.lambda(1)?);
        let seed = given.item(2).clone();
        let mut total = None;
        given.over(move |machine| {
            total = match (&total, &seed) {
                (None, Item::Missing) => match source.next(machine)? {
                    None => return wrong("`accumulate` of an empty list needs an initial value"),
                    first => first,
                },
                (None, seed) => Some(seed.clone()),
                (Some(total), _) => match source.next(machine)? {
                    Some(item) => Some(selector.call(machine, &[total.clone(), item])?),
                    None => return Ok(None),
                },
            };
            Ok(total.clone())
        })
    };
    Method "sum" (collection: Iterable, initial: Any = Default::Missing) =>
        |machine, given| reduced(machine, &given, 1, |machine, one, other| machine.operate("#operator_+", one, other));
    Method "max" (collection: Iterable, initial: Any = Default::Missing) =>
        |machine, given| reduced(machine, &given, 1, math::greater);
    Method "min" (collection: Iterable, initial: Any = Default::Missing) =>
        |machine, given| reduced(machine, &given, 1, math::lesser);
}

fn or_default(given: &Given, name: &str) -> Result<Item, Stop> {
    match given.item(1) {
        Item::Missing => wrong(format!("`{name}` of an empty list needs a default, as in `{name}(null)`")),
        default => Ok(default.clone()),
    }
}

fn holds(predicate: &Lambda, machine: &Machine<'_>, item: &Item) -> Result<bool, Stop> {
    predicate.call(machine, std::slice::from_ref(item))?.truth()
}

fn place(
    stream: &Stream,
    machine: &Machine<'_>,
    last: bool,
    is_it: impl Fn(&Machine<'_>, &Item) -> Result<bool, Stop>,
) -> Result<Item, Stop> {
    let (mut found, mut at) = (-1, 0);
    while let Some(item) = stream.next(machine)? {
        if is_it(machine, &item)? {
            found = at;
            if !last {
                break;
            }
        }
        at += 1;
    }
    Ok(Item::Integer(found))
}

/// Whether an iterable contains a value.
pub(super) fn contains(machine: &Machine<'_>, collection: &Item, value: &Item) -> Result<Item, Stop> {
    Ok(Item::Boolean(match collection {
        Item::Set(map) | Item::View(map, Part::Keys) => map.get(value)?.is_some(),
        Item::View(_, Part::Items) => return unknown(),
        other => {
            let stream = iterate(machine, other)?;
            loop {
                match stream.next(machine)? {
                    Some(item) if item.equals(value)? => break true,
                    Some(_) => {}
                    None => break false,
                }
            }
        }
    }))
}

fn aggregated(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let selector = given.lambda(1)?;
    reduced(machine, &given, 2, |machine, one, other| selector.call(machine, &[one.clone(), other.clone()]))
}

/// Reduces the items, from a seed or from the first item on.
fn reduced(
    machine: &Machine<'_>,
    given: &Given,
    seed: usize,
    of: impl Fn(&Machine<'_>, &Item, &Item) -> Result<Item, Stop>,
) -> Result<Item, Stop> {
    let stream = given.stream(machine, 0)?;
    let first = match given.item(seed) {
        Item::Missing => stream.next(machine)?,
        seed => Some(seed.clone()),
    };
    let Some(mut total) = first else { return wrong("an empty list has no initial value") };
    while let Some(item) = stream.next(machine)? {
        total = of(machine, &total, &item)?;
    }
    Ok(total)
}
