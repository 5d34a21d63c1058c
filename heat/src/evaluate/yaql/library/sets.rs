//! Sets.

use std::rc::Rc;

use super::super::item::{Item, Map};
use super::super::machine::{Given, Stop, unknown};
use super::super::overload::overloads;

overloads! { TABLE:
    Function "set" (; Any) => |machine, given| {
        let mut items = Vec::new();
        for item in &given.rest {
            super::collections::unrolled(machine, item, &mut items)?;
        }
        Item::set(items)
    };
    Method "toSet" (collection: Iterable) => |machine, given| Item::set(machine.items(given.item(0))?);
    Function "isSet" (arg: Any) => |_, given| super::math::is(&given, Item::is_set);
    Both "len" (set: Set) => |_, given| match given.item(0) {
        Item::Set(map) | Item::View(map, _) => Ok(super::counted(map.entries.len())),
        _ => unknown(),
    };
    Method "add" (set: Set; Any) => |_, given| {
        let set = set(&given, 0)?;
        Item::set(set.keys().into_iter().chain(given.rest))
    };
    Method "remove" (set: Set; Any) => |_, given| {
        let Item::Set(others) = Item::set(given.rest.clone())? else { return unknown() };
        chosen(&*set(&given, 0)?, &others, false)
    };
    Method "union" (left: Set, right: Set) =>
        |_, given| Item::set(set(&given, 0)?.keys().into_iter().chain(set(&given, 1)?.keys()));
    Method "intersect" (left: Set, right: Set) => |_, given| chosen(&*set(&given, 0)?, &*set(&given, 1)?, true);
    Method "difference" (left: Set, right: Set) => |_, given| chosen(&*set(&given, 0)?, &*set(&given, 1)?, false);
    Function "#operator_-" (left: Set, right: Set) => |_, given| chosen(&*set(&given, 0)?, &*set(&given, 1)?, false);
    Method "symmetricDifference" (left: Set, right: Set) => |_, given| {
        let (left, right) = (set(&given, 0)?, set(&given, 1)?);
        match (chosen(&left, &right, false)?, chosen(&right, &left, false)?) {
            (Item::Set(left), Item::Set(right)) => Item::set(left.keys().into_iter().chain(right.keys())),
            _ => unknown(),
        }
    };
}

/// A set. Views of a map do not have these methods in Python.
fn set(given: &Given, at: usize) -> Result<Rc<Map>, Stop> {
    match given.item(at) {
        Item::Set(map) => Ok(map.clone()),
        _ => unknown(),
    }
}

/// The items of one set that are in another, or that are not.
fn chosen(one: &Map, other: &Map, within: bool) -> Result<Item, Stop> {
    let mut items = Vec::new();
    for item in one.keys() {
        if other.get(&item)?.is_some() == within {
            items.push(item);
        }
    }
    Item::set(items)
}
