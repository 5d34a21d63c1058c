//! The arguments of a call, before and after evaluation.

use std::rc::Rc;

use super::expression::Expression;
use super::item::Item;
use super::machine::{Stop, wrong};
use super::overload::Type;

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    LeftOut,
    Written(Rc<Expression>),
    Value(Item),
}

/// The positional and named arguments of a call.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) placed: Vec<Argument>,
    pub(super) named: Vec<(Rc<str>, Argument)>,
}

/// Whether all evaluated arguments have these types.
pub(super) fn fits(types: &[Type], arguments: &Arguments) -> Result<bool, Stop> {
    let given = arguments.placed.iter().chain(arguments.named.iter().map(|(_, argument)| argument));
    for (takes, argument) in types.iter().zip(given) {
        if let Argument::Value(value) = argument
            && !takes.takes(value)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Separates named arguments, which are written as rules.
pub(super) fn by_name(arguments: Vec<Argument>) -> Result<Arguments, Stop> {
    let (mut placed, mut named) = (Vec::new(), Vec::<(Rc<str>, Argument)>::new());
    for argument in arguments {
        let Argument::Written(expression) = &argument else {
            placed.push(argument);
            continue;
        };
        match &**expression {
            Expression::Rule(name, value) => match &**name {
                // Of several arguments with one name, the last is used.
                Expression::Keyword(name) => {
                    named.retain(|(known, _)| known != name);
                    named.push((name.clone(), Argument::Written(value.clone())));
                }
                _ => return wrong("the name of an argument must come before `=>` here"),
            },
            _ => placed.push(argument),
        }
    }
    Ok(Arguments { placed, named })
}
