//! Lists derived from a list by selecting, transforming or slicing its items.

use super::super::item::{Item, Map};
use super::super::machine::{Given, Machine, Stop, unknown, wrong};
use super::super::overload::{Default, overloads};
use super::super::stream::{Memory, Stream, iterate};

overloads! { TABLE:
    Method "where" (collection: Iterable, predicate: Lambda) => chosen;
    Method "filter" (collection: Iterable, predicate: Lambda) => chosen;
    Method "select" (collection: Iterable, selector: Lambda) => changed;
    Method "map" (collection: Iterable, selector: Lambda) => changed;
    Method "selectMany" (collection: Iterable, selector: Lambda) => |machine, given| {
        let (source, selector, mut inner) = (given.stream(machine, 0)?, given.lambda(1)?, None);
        given.over(move |machine| loop {
            if let Some(stream) = &inner {
                if let Some(item) = Stream::next(stream, machine)? {
                    return Ok(Some(item));
                }
                inner = None;
            }
            let Some(item) = source.next(machine)? else { return Ok(None) };
            match selector.call(machine, &[item])? {
                Item::Unknown => return unknown(),
                value if value.is_iterable() => inner = Some(iterate(machine, &value)?),
                value => return Ok(Some(value)),
            }
        })
    };
    Method "skip" (collection: Iterable, count: Integer) => |machine, given| {
        let (source, mut left) = (given.stream(machine, 0)?, count(&given, 1)?);
        given.over(move |machine| {
            while left > 0 {
                left -= 1;
                if source.next(machine)?.is_none() {
                    left = 0;
                }
            }
            source.next(machine)
        })
    };
    Method "limit" (collection: Iterable, count: Integer) => taken;
    Method "take" (collection: Iterable, count: Integer) => taken;
    Method "takeWhile" (collection: Iterable, predicate: Lambda) => |machine, given| {
        let (source, predicate, mut ended) = (given.stream(machine, 0)?, given.lambda(1)?, false);
        given.over(move |machine| {
            let item = if ended { None } else { source.next(machine)? };
            let Some(item) = item else { return Ok(None) };
            ended = !predicate.call(machine, std::slice::from_ref(&item))?.truth()?;
            Ok((!ended).then_some(item))
        })
    };
    Method "skipWhile" (collection: Iterable, predicate: Lambda) => |machine, given| {
        let (source, predicate, mut begun) = (given.stream(machine, 0)?, given.lambda(1)?, false);
        given.over(move |machine| loop {
            let Some(item) = source.next(machine)? else { return Ok(None) };
            begun = begun || !predicate.call(machine, std::slice::from_ref(&item))?.truth()?;
            if begun {
                return Ok(Some(item));
            }
        })
    };
    Both "append" (collection: Iterable; Any) => |machine, given| {
        let (source, mut more) = (given.stream(machine, 0)?, given.rest.clone().into_iter());
        given.over(move |machine| Ok(source.next(machine)?.or_else(|| more.next())))
    };
    Both "concat" (; Iterable) => |_, given| {
        let (mut all, mut open) = (given.rest.clone().into_iter(), None);
        given.over(move |machine| loop {
            if let Some(stream) = &open
                && let Some(item) = Stream::next(stream, machine)?
            {
                return Ok(Some(item));
            }
            let Some(next) = all.next() else { return Ok(None) };
            open = Some(iterate(machine, &next)?);
        })
    };
    Both "distinct" (collection: Iterable, keySelector: Lambda = Default::Null) => |machine, given| {
        let (source, key, mut seen) = (given.stream(machine, 0)?, given.lambda_or_none(1)?, Map::new());
        given.over(move |machine| {
            while let Some(item) = source.next(machine)? {
                let found = match &key {
                    Some(key) => key.call(machine, std::slice::from_ref(&item))?,
                    None => item.clone(),
                };
                if seen.get(&found)?.is_none() {
                    seen.insert(found, Item::Null)?;
                    return Ok(Some(item));
                }
            }
            Ok(None)
        })
    };
    Both "enumerate" (collection: Iterable, start: IntegerOrNull = Default::Integer(0)) => |machine, given| {
        if matches!(given.item(1), Item::Null) {
            return wrong("`enumerate` must begin with an integer");
        }
        let (source, mut at) = (given.stream(machine, 0)?, given.integer(1)?);
        given.over(move |machine| {
            let Some(item) = source.next(machine)? else { return Ok(None) };
            let number = Item::Integer(at);
            at = at.checked_add(1).ok_or(Stop::Unknown)?;
            Item::list(vec![number, item]).map(Some)
        })
    };
    Method "memorize" (collection: Iterable) => |_, given| match given.item(0) {
        Item::Stream(stream) => Memory::of(stream.clone()).map(Item::Memory),
        other => Ok(other.clone()),
    };
    Method "slice" (collection: Iterable, length: Integer) => |machine, given| {
        let (source, length) = (given.stream(machine, 0)?, count(&given, 1)?);
        given.over(move |machine| {
            let mut items = Vec::new();
            while (items.len() as i128) < length
                && let Some(item) = source.next(machine)?
            {
                items.push(item);
            }
            if items.is_empty() { Ok(None) } else { Item::tuple(items).map(Some) }
        })
    };
    Method "splitWhere" (collection: Iterable, predicate: Lambda) => |machine, given| {
        let (items, predicate, mut at) = (machine.items(given.item(0))?, given.lambda(1)?, 0);
        given.over(move |machine| {
            let start = at;
            while let Some(item) = items.get(at) {
                at += 1;
                if predicate.call(machine, std::slice::from_ref(item))?.truth()? {
                    return Item::tuple(items[start..at - 1].to_vec()).map(Some);
                }
            }
            if start == at { Ok(None) } else { Item::tuple(items[start..at].to_vec()).map(Some) }
        })
    };
    Method "sliceWhere" (collection: Iterable, predicate: Lambda) => |machine, given| {
        let (items, predicate, mut at, mut last) = (machine.items(given.item(0))?, given.lambda(1)?, 0, None);
        given.over(move |machine| {
            let start = at;
            while let Some(item) = items.get(at) {
                // The item that starts this part is consumed only once.
                let value = match last.take() {
                    Some(value) if at == start => value,
                    before => {
                        let value = predicate.call(machine, std::slice::from_ref(item))?;
                        if let Some(before) = before
                            && !value.equals(&before)?
                        {
                            last = Some(value);
                            return Item::tuple(items[start..at].to_vec()).map(Some);
                        }
                        value
                    }
                };
                last = Some(value);
                at += 1;
            }
            if start == at { Ok(None) } else { Item::tuple(items[start..at].to_vec()).map(Some) }
        })
    };
    Method "splitAt" (collection: Iterable, index: Integer) => |machine, given| {
        let items = machine.items(given.item(0))?;
        let (at, _) = super::super::python::bounds(given.integer(1)?, i128::MAX, items.len());
        Item::list(vec![Item::tuple(items[..at].to_vec())?, Item::tuple(items[at..].to_vec())?])
    };
    Method "reverse" (collection: Iterable) => |machine, given| {
        let mut items = machine.items(given.item(0))?;
        given.over(move |_| Ok(items.pop()))
    };
    Method "defaultIfEmpty" (collection: Iterable, default: Iterable) => |machine, given| match given.item(0) {
        item if item.row().is_some() || item.is_set() => {
            Ok(if item.truth()? { item } else { given.item(1) }.clone())
        }
        _ => {
            let stream = given.stream(machine, 0)?;
            let memory = Item::Memory(Memory::of(stream)?);
            let is_empty = iterate(machine, &memory)?.next(machine)?.is_none();
            Ok(if is_empty { given.item(1).clone() } else { memory })
        }
    };
}

/// A number of items, which cannot be negative.
fn count(given: &Given, at: usize) -> Result<i128, Stop> {
    match given.integer(at)? {
        count if count < 0 => wrong(format!("a number of items cannot be negative, but this is {count}")),
        count => Ok(count),
    }
}

fn chosen(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let (source, predicate) = (given.stream(machine, 0)?, given.lambda(1)?);
    given.over(move |machine| {
        while let Some(item) = source.next(machine)? {
            if predicate.call(machine, std::slice::from_ref(&item))?.truth()? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    })
}

fn changed(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let (source, selector) = (given.stream(machine, 0)?, given.lambda(1)?);
    given.over(move |machine| match source.next(machine)? {
        Some(item) => selector.call(machine, &[item]).map(Some),
        None => Ok(None),
    })
}

fn taken(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let (source, mut left) = (given.stream(machine, 0)?, count(&given, 1)?);
    given.over(move |machine| {
        if left == 0 {
            return Ok(None);
        }
        left -= 1;
        source.next(machine)
    })
}
