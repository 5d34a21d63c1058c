//! Lists and maps, and functions that change them.

use super::super::item::{Item, Map, Part};
use super::super::limits;
use super::super::machine::{Given, Machine, Stop, unknown, wrong};
use super::super::overload::{Default, overloads};
use super::super::stream::{Stream, iterate};

overloads! { TABLE:
    Function "list" (; Any) => |machine, given| {
        let mut items = Vec::new();
        for item in &given.rest {
            unrolled(machine, item, &mut items)?;
        }
        limits::limited(Item::tuple(items)?)
    };
    Method "toList" (collection: Iterable) => |machine, given| match given.item(0) {
        tuple @ Item::Tuple(_) => Ok(tuple.clone()),
        other => Item::tuple(machine.items(other)?),
    };
    Function "isList" (arg: Any) => |_, given| super::math::is(&given, |item| item.row().is_some());
    Function "isDict" (arg: Any) => |_, given| super::math::is(&given, |item| matches!(item, Item::Map(_)));
    Function "isIterable" (value: Any) => |_, given| super::math::is(&given, Item::is_iterable);
    Both "len" (sequence: Sequence) => |_, given| match given.item(0).row() {
        Some(items) => Ok(super::counted(items.len())),
        None => unknown(),
    };
    Both "len" (dict: Map) => |_, given| Ok(super::counted(given.map(0)?.entries.len()));
    Method "flatten" (collection: Iterable) => |machine, given| {
        let mut open = vec![given.stream(machine, 0)?];
        given.over(move |machine| {
            while let Some(innermost) = open.last() {
                match innermost.next(machine)? {
                    Some(Item::Unknown) => return unknown(),
                    Some(item) if item.is_iterable() => open.push(iterate(machine, &item)?),
                    Some(item) => return Ok(Some(item)),
                    None => drop(open.pop()),
                }
            }
            Ok(None)
        })
    };
    Function,Rules "dict" (; Rule) => |_, given| super::operators::map_of(given);
    Function,Rules "dict" (items: Iterable) => dict;
    Method "toDict" (collection: Iterable, keySelector: Lambda, valueSelector: Lambda = Default::Null) => |machine, given| {
        let (key, value) = (given.lambda(1)?, given.lambda_or_none(2)?);
        let mut map = Map::new();
        for item in machine.items(given.item(0))? {
            let of = std::slice::from_ref(&item);
            let key = key.call(machine, of)?;
            let value = value.as_ref().map_or(Ok(item.clone()), |value| value.call(machine, of))?;
            map.insert(key, value)?;
        }
        Ok(map.item(true))
    };
    Method "get" (dict: Map, key: Any, default: Any = Default::Null) =>
        |_, given| Ok(given.map(0)?.get(given.item(1))?.unwrap_or(given.item(2)).clone());
    Method,Rules "set" (dict: Map, key: Any, value: Any) => |_, given| {
        limits::memory([given.item(1), given.item(2)])?;
        with(&*given.map(0)?, [(given.item(1).clone(), given.item(2).clone())])
    };
    Method,Rules "set" (dict: Map, replacements: Map) => |_, given| {
        with(&*given.map(0)?, given.map(1)?.entries.iter().cloned())
    };
    Method,Rules "set" (dict: Map; Rule) => |_, given| {
        let map = given.map(0)?;
        match super::operators::map_of(given)? {
            Item::Map(rules) => with(&map, rules.entries.iter().cloned()),
            _ => unknown(),
        }
    };
    Method "keys" (dict: Map) => |_, given| Ok(Item::View(given.map(0)?, Part::Keys));
    Method "values" (dict: Map) => |_, given| Ok(Item::View(given.map(0)?, Part::Values));
    Method "items" (dict: Map) => |_, given| Ok(Item::View(given.map(0)?, Part::Items));
    Method "containsKey" (dict: Map, key: Any) => |_, given| Ok(Item::Boolean(given.map(0)?.get(given.item(1))?.is_some()));
    Method "containsValue" (dict: Map, value: Any) => |_, given| {
        for (_, value) in &given.map(0)?.entries {
            if value.equals(given.item(1))? {
                return Ok(Item::Boolean(true));
            }
        }
        Ok(Item::Boolean(false))
    };
    Method "delete" (dict: Map; Any) => |_, given| without(&*given.map(0)?, &given.rest);
    Method "deleteAll" (dict: Map, keys: Iterable) =>
        |machine, given| without(&*given.map(0)?, &machine.items(given.item(1))?);
    Method "mergeWith" (dict: Map, another: Map, listMerger: Lambda = Default::Null, itemMerger: Lambda = Default::Null,
        maxLevels: Integer = Default::Integer(0)) => |machine, given| merged(machine, &given, &*given.map(0)?, &*given.map(1)?, given.integer(4)?);
    Method "delete" (collection: Iterable, position: Integer, count: Integer = Default::Integer(1)) => |machine, given| {
        let (source, from, count) = (given.stream(machine, 0)?, given.integer(1)?, given.integer(2)?);
        let mut at = 0;
        given.over(move |machine| {
            while let Some(item) = source.next(machine)? {
                at += 1;
                if !is_within(at - 1, from, count) {
                    return Ok(Some(item));
                }
            }
            Ok(None)
        })
    };
    Method "replace" (collection: Iterable, position: Integer, value: Any, count: Integer = Default::Integer(1)) =>
        |machine, given| {
            let (source, new) = (given.stream(machine, 0)?, Stream::over(&[given.item(2)], once(given.item(2).clone()))?);
            replaced(&given, source, new, 3)
        };
    Method "replaceMany" (collection: Iterable, position: Integer, values: Iterable, count: Integer = Default::Integer(1)) =>
        |machine, given| replaced(&given, given.stream(machine, 0)?, given.stream(machine, 2)?, 3);
    Method "insert" (collection: Sequence, position: Integer, value: Any) => |_, given| {
        let mut items = given.item(0).row().unwrap_or_default().to_vec();
        let (at, _) = super::super::python::bounds(given.integer(1)?, i128::MAX, items.len());
        items.insert(at, given.item(2).clone());
        Item::list(items)
    };
    Method "insert" (collection: Iterable, position: Integer, value: Any) => |machine, given| {
        if given.item(0).is_set() {
            return unknown();
        }
        let new = Stream::over(&[given.item(2)], once(given.item(2).clone()))?;
        inserted(&given, given.stream(machine, 0)?, new, false)
    };
    Method "insertMany" (collection: Iterable, position: Integer, values: Iterable) =>
        |machine, given| inserted(&given, given.stream(machine, 0)?, given.stream(machine, 2)?, true);
}

fn once(item: Item) -> impl FnMut(&Machine<'_>) -> Result<Option<Item>, Stop> {
    let mut item = Some(item);
    move |_| Ok(item.take())
}

/// The items of an iterator, or the item itself.
pub(super) fn unrolled(machine: &Machine<'_>, item: &Item, out: &mut Vec<Item>) -> Result<(), Stop> {
    if !item.is_iterator() {
        out.push(item.clone());
        return Ok(());
    }
    let stream = iterate(machine, item)?;
    machine.deeper(|| {
        while let Some(item) = stream.next(machine)? {
            unrolled(machine, &item, out)?;
        }
        Ok(())
    })
}

fn dict(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let mut map = Map::new();
    let pairs = given.stream(machine, 0)?;
    while let Some(pair) = pairs.next(machine)? {
        let pair = match &pair {
            Item::Text(text) => Item::tuple(text.chars().take(2).map(|sign| Item::text(sign.to_string())).collect())?,
            Item::Map(map) => Item::tuple(map.keys())?,
            Item::Unknown => return unknown(),
            other if other.is_iterable() => other.clone(),
            other => {
                return wrong(format!("a map is made of pairs of a key and a value, but this is {}", other.kind()));
            }
        };
        let pair = iterate(machine, &pair)?;
        match (pair.next(machine)?, pair.next(machine)?) {
            (Some(key), Some(value)) => map.insert(key, value)?,
            _ => return wrong("a map is made of pairs of a key and a value, but this has fewer than two items"),
        }
    }
    Ok(map.item(false))
}

fn with(map: &Map, more: impl IntoIterator<Item = (Item, Item)>) -> Result<Item, Stop> {
    let mut out = Map::new();
    for (key, value) in map.entries.iter().cloned().chain(more) {
        out.insert(key, value)?;
    }
    Ok(out.item(false))
}

fn without(map: &Map, keys: &[Item]) -> Result<Item, Stop> {
    let mut gone = Map::new();
    for key in keys {
        // From an empty map, Python removes any key, even an unhashable one.
        if gone.entries.len() == map.entries.len() {
            break;
        }
        if map.get(key)?.is_some() {
            gone.insert(key.clone(), Item::Null)?;
        }
    }
    let mut out = Map::new();
    for (key, value) in &map.entries {
        if gone.get(key)?.is_none() {
            out.insert(key.clone(), value.clone())?;
        }
    }
    Ok(out.item(true))
}

/// Whether this position is one of `count` positions starting at `from`. A negative count means all that follow.
fn is_within(at: i128, from: i128, count: i128) -> bool {
    at >= from && (count < 0 || at < from.saturating_add(count))
}

fn replaced(given: &Given, source: Stream, new: Stream, count: usize) -> Result<Item, Stop> {
    let (from, count) = (given.integer(1)?, given.integer(count)?);
    let (mut at, mut inside) = (0, false);
    given.over(move |machine| {
        loop {
            if inside {
                match new.next(machine)? {
                    Some(item) => return Ok(Some(item)),
                    None => inside = false,
                }
            }
            let Some(item) = source.next(machine)? else { return Ok(None) };
            at += 1;
            if !is_within(at - 1, from, count) {
                return Ok(Some(item));
            }
            // The new items can be iterated only once. Afterwards none are left.
            inside = true;
        }
    })
}

fn inserted(given: &Given, source: Stream, new: Stream, in_front: bool) -> Result<Item, Stop> {
    let position = given.integer(1)?;
    let (mut at, mut inside, mut kept, mut ended) = (-1, in_front && position < 0, None, false);
    given.over(move |machine| {
        loop {
            if inside {
                match new.next(machine)? {
                    Some(item) => return Ok(Some(item)),
                    None => inside = false,
                }
            }
            if let Some(item) = kept.take() {
                return Ok(Some(item));
            }
            if ended {
                return Ok(None);
            }
            kept = source.next(machine)?;
            if kept.is_some() {
                at += 1;
                inside = at == position;
            } else {
                ended = true;
                inside = position > at;
            }
        }
    })
}

fn merged(machine: &Machine<'_>, given: &Given, one: &Map, other: &Map, levels: i128) -> Result<Item, Stop> {
    let mut out = Map::new();
    for (key, mine) in &one.entries {
        let value = match other.get(key)? {
            None => mine.clone(),
            Some(theirs) => machine.deeper(|| merged_value(machine, given, mine, theirs, levels))?,
        };
        out.insert(key.clone(), value)?;
    }
    for (key, theirs) in &other.entries {
        if one.get(key)?.is_none() {
            out.insert(key.clone(), theirs.clone())?;
        }
    }
    Ok(out.item(true))
}

fn merged_value(machine: &Machine<'_>, given: &Given, mine: &Item, theirs: &Item, levels: i128) -> Result<Item, Stop> {
    let cannot = || wrong(format!("{} and {} cannot be merged", mine.kind(), theirs.kind()));
    let both = [mine.clone(), theirs.clone()];
    match (mine, theirs) {
        (Item::Unknown, _) | (_, Item::Unknown) => unknown(),
        (Item::Map(mine), Item::Map(theirs)) if levels != 1 => {
            merged(machine, given, mine, theirs, if levels == 0 { 0 } else { levels - 1 })
        }
        (_, Item::Map(_)) if levels != 1 => cannot(),
        (_, theirs) if levels != 1 && theirs.row().is_some() => match (mine, theirs, given.lambda_or_none(2)?) {
            (mine, _, _) if mine.row().is_none() => cannot(),
            (_, _, Some(merger)) => merger.call(machine, &both),
            // Python concatenates only lists of the same type.
            (Item::Tuple(mine), Item::Tuple(theirs), None) | (Item::List(mine), Item::List(theirs), None) => {
                let mut seen = Map::new();
                for item in mine.items.iter().chain(&theirs.items) {
                    seen.insert(item.clone(), Item::Null)?;
                }
                limits::limited(Item::tuple(seen.keys())?)
            }
            _ => cannot(),
        },
        _ => match given.lambda_or_none(3)? {
            Some(merger) => merger.call(machine, &both),
            None => Ok(theirs.clone()),
        },
    }
}
