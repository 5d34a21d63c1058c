//! Functions that define names.

use std::rc::Rc;

use wattle_model::names::count;

use super::super::item::Item;
use super::super::machine::{Given, Machine, Stop, unknown, wrong};
use super::super::overload::{CallKind, Default, overloads};
use super::super::stream::Memory;

overloads! { TABLE:
    Function,Open "let" (; Any) => |_, given| {
        let mut values = numbered(given.rest);
        values.extend(given.named.into_iter().map(|(name, value)| (dollar(&name), value)));
        given.context.with(values).map(Item::Context)
    };
    Function "with" (; Any) => |_, given| given.context.with(numbered(given.rest)).map(Item::Context);
    Method "unpack" (sequence: Iterable; Text) => unpack;
    Function "def" (name: Text, func: Lambda) => |_, given| {
        let name = given.text(0)?;
        // YAQL looks up a name with an underscore in another form, and another function with the same name may be meant as
        // well.
        let is_taken = super::named(&name).any(|overload| overload.kind != CallKind::Method);
        if is_taken || super::is_not_computed(&name) {
            return unknown();
        }
        given.context.with_function(name, given.lambda(1)?.expression.clone()).map(Item::Context)
    };
    Function "#operator_->" (left: Context, right: Lambda) => |machine, given| {
        let Item::Context(context) = given.item(0) else { return unknown() };
        machine.evaluate(&given.lambda(1)?.expression, None, context)
    };
    Method "assert" (obj: Any, condition: Lambda, message: Text = Default::Text("Assertion failed")) =>
        |machine, given| {
            let value = match given.item(0) {
                Item::Stream(stream) => Item::Memory(Memory::of(stream.clone())?),
                value => value.clone(),
            };
            if given.lambda(1)?.call(machine, std::slice::from_ref(&value))?.truth()? {
                return Ok(value);
            }
            wrong(format!("an `assert` in it fails: {}", given.text(2)?.escape_debug()))
        };
}

fn dollar(name: &str) -> Rc<str> {
    match name {
        "$" => "$1".into(),
        name if name.starts_with('$') => name.into(),
        name => format!("${name}").into(),
    }
}

fn numbered(values: Vec<Item>) -> Vec<(Rc<str>, Item)> {
    (1..).zip(values).map(|(number, value)| (format!("${number}").into(), value)).collect()
}

fn unpack(machine: &Machine<'_>, given: Given) -> Result<Item, Stop> {
    let names = &given.rest;
    let stream = given.stream(machine, 0)?;
    let mut items = Vec::new();
    while items.len() <= names.len()
        && let Some(item) = stream.next(machine)?
    {
        items.push(item);
    }
    let values = if names.is_empty() {
        numbered(machine.items(given.item(0))?)
    } else if items.len() == names.len() {
        let name = |name: &Item| match name {
            Item::Text(name) => Ok(dollar(name)),
            _ => unknown(),
        };
        let names = names.iter().map(name).collect::<Result<Vec<_>, Stop>>()?;
        names.into_iter().zip(items).collect()
    } else {
        return wrong(format!("`unpack` has {}, but the number of items differs", count(names.len(), "name")));
    };
    given.context.with(values).map(Item::Context)
}
