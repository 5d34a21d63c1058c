//! Functions that evaluate their arguments only on demand.

use std::rc::Rc;

use super::super::context::Lambda;
use super::super::expression::Expression;
use super::super::item::Item;
use super::super::machine::{Given, Machine, Stop, unknown};
use super::super::overload::overloads;
use super::{counted, integer};

overloads! { TABLE:
    Function "#operator_and" (left: Lambda, right: Lambda) => |machine, given| {
        let left = given.lambda(0)?.call(machine, &[])?;
        if left.truth()? { given.lambda(1)?.call(machine, &[]) } else { Ok(left) }
    };
    Function "#operator_or" (left: Lambda, right: Lambda) => |machine, given| {
        let left = given.lambda(0)?.call(machine, &[])?;
        if left.truth()? { Ok(left) } else { given.lambda(1)?.call(machine, &[]) }
    };
    Function,Rules "switch" (; LazyRule) => switch;
    Function "selectCase" (; Lambda) => |machine, given| Ok(counted(first_true(machine, &given.rest)?));
    Function "selectAllCases" (; Lambda) => |_, given| {
        let (cases, mut at) = (given.rest.clone(), 0);
        given.over(move |machine| {
            while let Some(case) = cases.get(at) {
                at += 1;
                if lambda(case)?.call(machine, &[])?.truth()? {
                    return Ok(Some(counted(at - 1)));
                }
            }
            Ok(None)
        })
    };
    Function "examine" (; Lambda) => |_, given| {
        let mut cases = given.rest.clone().into_iter();
        given.over(move |machine| match cases.next() {
            Some(case) => Ok(Some(Item::Boolean(lambda(&case)?.call(machine, &[])?.truth()?))),
            None => Ok(None),
        })
    };
    Method "switchCase" (case: Integer; Lambda) => |machine, given| {
        let case = usize::try_from(integer(given.item(0))?).ok().and_then(|case| given.rest.get(case));
        match case.or(given.rest.last()) {
            Some(case) => lambda(case)?.call(machine, &[]),
            None => Ok(Item::Null),
        }
    };
    Function "coalesce" (; Lambda) => |machine, given| {
        for argument in &given.rest {
            match lambda(argument)?.call(machine, &[])? {
                Item::Null => {}
                Item::Unknown => return unknown(),
                value => return Ok(value),
            }
        }
        Ok(Item::Null)
    };
}

fn lambda(item: &Item) -> Result<&Rc<Lambda>, Stop> {
    match item {
        Item::Lambda(lambda) => Ok(lambda),
        _ => unknown(),
    }
}

fn first_true(machine: &Machine<'_>, cases: &[Item]) -> Result<usize, Stop> {
    for (at, case) in cases.iter().enumerate() {
        if lambda(case)?.call(machine, &[])?.truth()? {
            return Ok(at);
        }
    }
    Ok(cases.len())
}

fn switch(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    for case in &given.rest {
        let Item::Quoted(rule) = case else { return unknown() };
        let Expression::Rule(condition, value) = &**rule else { return unknown() };
        if machine.evaluate(condition, None, &given.context)?.truth()? {
            return machine.evaluate(value, None, &given.context);
        }
    }
    Ok(Item::Null)
}
