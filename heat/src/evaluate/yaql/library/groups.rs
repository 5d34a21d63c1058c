//! Sorting, grouping and zipping lists.

use std::rc::Rc;

use super::super::context::Lambda;
use super::super::item::{Item, Map};
use super::super::machine::{Given, Machine, Sort, Stop, unknown};
use super::super::overload::{Default, overloads};
use super::super::stream::{Memory, Ordering, depth_over, iterate};

overloads! { TABLE:
    Method "orderBy" (collection: Iterable, selector: Lambda) => |_, given| ordered(&given, true);
    Method "orderByDescending" (collection: Iterable, selector: Lambda) => |_, given| ordered(&given, false);
    Method "thenBy" (collection: Ordering, selector: Lambda) => |_, given| then_ordered(&given, true);
    Method "thenByDescending" (collection: Ordering, selector: Lambda) => |_, given| then_ordered(&given, false);
    Method "groupBy" (collection: Iterable, keySelector: Lambda, valueSelector: Lambda = Default::Null,
        aggregator: Lambda = Default::Null) => grouped;
    Method "zip" (; Iterable) => |machine, given| zipped(machine, &given, None);
    Method,Open "zipLongest" (; Iterable) => |machine, given| {
        let default = given.named.iter().find(|(name, _)| &**name == "default");
        // Unknown names are accepted silently.
        let filled = default.map_or(Item::Null, |(_, value)| value.clone());
        zipped(machine, &given, Some(filled))
    };
    Method "join" (collection1: Iterable, collection2: Iterable, predicate: Lambda, selector: Lambda) => joined;
}

fn ordered(given: &Given, upwards: bool) -> Result<Item, Stop> {
    let depth = depth_over(&[given.item(0), given.item(1)])?;
    Ok(Item::Ordering(Rc::new(Ordering { of: given.item(0).clone(), by: vec![(given.lambda(1)?, upwards)], depth })))
}

fn then_ordered(given: &Given, upwards: bool) -> Result<Item, Stop> {
    let Item::Ordering(ordering) = given.item(0) else { return unknown() };
    let mut by = ordering.by.clone();
    by.push((given.lambda(1)?, upwards));
    let depth = depth_over(&[given.item(0), given.item(1)])?;
    Ok(Item::Ordering(Rc::new(Ordering { of: ordering.of.clone(), by, depth })))
}

fn grouped(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let (key, value, aggregator) = (given.lambda(1)?, given.lambda_or_none(2)?, given.lambda_or_none(3)?);
    let (mut keys, mut groups) = (Map::new(), Vec::<(Item, Vec<Item>)>::new());
    for item in machine.items(given.item(0))? {
        let of = std::slice::from_ref(&item);
        let value = value.as_ref().map_or(Ok(item.clone()), |value| value.call(machine, of))?;
        let key = key.call(machine, of)?;
        if let Some(Item::Integer(at)) = keys.get(&key)? {
            groups[usize::try_from(*at).unwrap_or(0)].1.push(value);
        } else {
            keys.insert(key.clone(), super::counted(groups.len()))?;
            groups.push((key, vec![value]));
        }
    }
    let mut groups = groups.into_iter();
    let mut aggregation = Aggregation { of: aggregator, failed: None, may_fall_back: true };
    given.over(move |machine| {
        let Some((key, values)) = groups.next() else { return Ok(None) };
        aggregation.of_group(machine, &key, Item::list(values)?).map(Some)
    })
}

/// The aggregation of groups. An aggregator in the old form receives the key as well. It is tried if the first group fails
/// in the new form.
struct Aggregation {
    of: Option<Rc<Lambda>>,
    failed: Option<Stop>,
    may_fall_back: bool,
}

impl Aggregation {
    fn of_group(&mut self, machine: &Machine<'_>, key: &Item, values: Item) -> Result<Item, Stop> {
        let group = Item::tuple(vec![key.clone(), values.clone()])?;
        let Some(aggregator) = &self.of else { return Ok(group) };
        if self.failed.is_none() {
            match aggregator.call(machine, std::slice::from_ref(&values)) {
                Ok(result) => {
                    let looks_old = match (values.row(), result.row()) {
                        (Some([first, _]), Some([key, _])) => key.equals(first)?,
                        _ => false,
                    };
                    self.may_fall_back &= looks_old;
                    return Item::tuple(vec![key.clone(), result]);
                }
                Err(stop @ Stop::Wrong(Sort::Matching | Sort::Index, _)) => self.failed = Some(stop),
                Err(stop) => return Err(stop),
            }
        }
        if self.may_fall_back {
            match aggregator.call(machine, &[group]) {
                Ok(result) if result.row().is_some_and(|pair| pair.len() == 2) => return Ok(result),
                Ok(Item::Text(_) | Item::Map(_) | Item::Unknown) | Err(Stop::Unknown) => return unknown(),
                _ => {}
            }
        }
        Err(self.failed.clone().unwrap_or(Stop::Unknown))
    }
}

/// Zips lists up to the length of the shortest or, with a fill value, of the longest.
fn zipped(machine: &Machine<'_>, given: &Given, filled: Option<Item>) -> Result<Item, Stop> {
    let mut streams = Vec::new();
    for list in &given.rest {
        streams.push(Some(iterate(machine, list)?));
    }
    given.over(move |machine| {
        let mut items = Vec::new();
        for stream in &mut streams {
            let next = match stream {
                Some(open) => open.next(machine)?,
                None => None,
            };
            match (next, &filled) {
                (Some(item), _) => items.push(item),
                (None, None) => return Ok(None),
                (None, Some(filled)) => {
                    *stream = None;
                    items.push(filled.clone());
                }
            }
        }
        if streams.iter().all(Option::is_none) { Ok(None) } else { Item::tuple(items).map(Some) }
    })
}

fn joined(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let (source, predicate, selector) = (given.stream(machine, 0)?, given.lambda(2)?, given.lambda(3)?);
    let others = match given.item(1) {
        Item::Stream(stream) => Item::Memory(Memory::of(stream.clone())?),
        other => other.clone(),
    };
    let mut open = None;
    given.over(move |machine| {
        loop {
            let (item, other) = match &open {
                None => {
                    let Some(item) = source.next(machine)? else { return Ok(None) };
                    open = Some((item, iterate(machine, &others)?));
                    continue;
                }
                Some((item, others)) => (item.clone(), others.next(machine)?),
            };
            let Some(other) = other else {
                open = None;
                continue;
            };
            let pair = [item, other];
            if predicate.call(machine, &pair)?.truth()? {
                return selector.call(machine, &pair).map(Some);
            }
        }
    })
}
