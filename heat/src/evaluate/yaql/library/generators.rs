//! Lists of nothing but a rule.

use super::super::item::{Item, Map};
use super::super::machine::{Given, Machine, Stop, wrong};
use super::super::overload::{Default, overloads};

overloads! { TABLE:
    Function "range" (stop: Integer) => |_, given| {
        let stop = given.integer(0)?;
        steps(&given, 0, Some(stop), 1)
    };
    Function "range" (start: Integer, stop: Integer, step: Integer = Default::Integer(1)) => |_, given| {
        if given.integer(2)? == 0 {
            return wrong("the step of a `range` is not zero");
        }
        steps(&given, given.integer(0)?, Some(given.integer(1)?), given.integer(2)?)
    };
    Function "sequence" (start: Integer = Default::Integer(0), step: Integer = Default::Integer(1)) =>
        |_, given| steps(&given, given.integer(0)?, None, given.integer(1)?);
    Method "repeat" (value: Any, times: Integer = Default::Integer(-1)) => |_, given| {
        let (value, mut times) = (given.item(0).clone(), given.integer(1)?);
        let always = times < 0;
        given.over(move |_| {
            times -= i128::from(!always);
            Ok((always || times >= 0).then(|| value.clone()))
        })
    };
    Method "cycle" (collection: Iterable) => |machine, given| {
        let (source, mut seen, mut at) = (given.stream(machine, 0)?, Vec::<Item>::new(), None);
        given.over(move |machine| {
            if at.is_none() {
                if let Some(item) = source.next(machine)? {
                    seen.push(item.clone());
                    return Ok(Some(item));
                }
                at = Some(0);
            }
            let place = at.unwrap_or(0);
            at = Some(if place + 1 < seen.len() { place + 1 } else { 0 });
            Ok(seen.get(place).cloned())
        })
    };
    Function "generate" (initial: Any, predicate: Lambda, producer: Lambda, selector: Lambda = Default::Null,
        decycle: Boolean = Default::Boolean(false)) => generate;
}

/// Numbers from one on, up to another one that is not among them.
fn steps(given: &Given, start: i128, stop: Option<i128>, by: i128) -> Result<Item, Stop> {
    let mut at = start;
    given.over(move |_| {
        if stop.is_some_and(|stop| if by > 0 { at >= stop } else { at <= stop }) {
            return Ok(None);
        }
        let item = Item::Integer(at);
        at = at.checked_add(by).ok_or(Stop::Unknown)?;
        Ok(Some(item))
    })
}

fn generate(_: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let (predicate, producer, selector) = (given.lambda(1)?, given.lambda(2)?, given.lambda_or_none(3)?);
    let mut past = given.flag(4)?.then(Map::new);
    let (mut last, mut next) = (None, Some(given.item(0).clone()));
    given.over(move |machine| {
        // What comes next is computed when it is asked for.
        if let Some(last) = last.take() {
            next = Some(producer.call(machine, &[last])?);
        }
        let Some(item) = next.take() else { return Ok(None) };
        let of = std::slice::from_ref(&item);
        if !predicate.call(machine, of)?.truth()? {
            return Ok(None);
        }
        if let Some(past) = &mut past {
            if past.get(&item)?.is_some() {
                return Ok(None);
            }
            past.insert(item.clone(), Item::Null)?;
        }
        let value = selector.as_ref().map_or(Ok(item.clone()), |selector| selector.call(machine, of))?;
        last = Some(item);
        Ok(Some(value))
    })
}
