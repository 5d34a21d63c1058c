//! Functions of Heat's over values that agents know.
//!
//! Most functions are computed where their arguments are known: from constants and parameters when the seed is applied,
//! else by the agent that reads the value. What only Heat can compute goes to Heat whole, and reaches the agent through its
//! server's user data; so it can have no argument that Heat does not know.

use indexmap::IndexMap;
use sha2::{Digest, Sha256};

use crate::model::{Expr, Model, Name, Reference, Referred, Resource, Value};

use super::resolve::for_agent;
use super::seed::{Origin, Wire};
use wattle_heat::template::Function;

/// Parameters that every stack has without declaring them, and only Heat knows.
pub(crate) fn is_pseudo(parameter: &str) -> bool {
    parameter.starts_with("OS::")
}

/// Whether only Heat can compute the function.
pub(crate) fn is_heats(function: &str) -> bool {
    !Function::of(function).is_some_and(Function::is_computed)
}

/// The name of what Heat computes, in the user data: the same as long as the value is.
pub(super) fn key(function: &str, value: &Expr) -> String {
    let json = serde_json::to_vec(value).unwrap_or_default();
    let digest = Sha256::digest(&json);
    digest[..4].iter().fold(format!("{function}."), |key, byte| format!("{key}{byte:02x}"))
}

/// The function of which a server is told the value under this name in its user data, if it is one that only Heat computes.
pub fn computed_by_heat(key: &str) -> Option<&str> {
    let (function, digest) = key.split_once('.')?;
    let is_digest = digest.len() == 8 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_digest && is_heats(function)).then_some(function)
}

/// What of `value` Heat does not know, or must not be asked for: the first reference to an output, a promise, an export of
/// another stack, a server, or a secret.
pub(crate) fn unknown_to_heat<'m>(model: &'m Model, value: &'m Expr) -> Option<Referred<'m>> {
    value.references().find(|reference| match reference {
        Reference::Output { .. } | Reference::Promise(_) | Reference::Import { .. } => true,
        Reference::Resource(name) | Reference::Attribute { resource: name, .. } => {
            model.resources.get(*name).is_some_and(Resource::is_server)
        }
        Reference::Parameter(name) => model.parameters.get(*name).is_some_and(crate::model::Parameter::is_hidden),
        Reference::Foreign { .. } => false,
    })
}

/// The expression that a condition of this name is.
fn named<'m>(model: &'m Model, name: &str) -> Option<&'m Expr> {
    model.conditions.get(name).map(|condition| &condition.value)
}

/// Everything that a computed function is given, conditions by name replaced by what they are.
pub(super) fn arguments<'m>(
    model: &'m Model,
    function: &str,
    argument: &'m Expr,
    depth: usize,
    visit: &mut impl FnMut(&'m Expr),
) {
    // Conditions that name each other in a ring are Heat's to refuse.
    if depth > model.conditions.len() + 1 {
        return;
    }
    let condition = |value: &'m Expr, visit: &mut dyn FnMut(&'m Expr)| match value {
        Expr::Constant(Value::Str(name)) => by_name(model, name, visit),
        other => visit(other),
    };
    match (function, argument) {
        ("if", Expr::List(items)) => {
            for (index, item) in items.iter().enumerate() {
                if index == 0 { condition(item, visit) } else { visit(item) }
            }
        }
        ("and" | "or", Expr::List(items)) => items.iter().for_each(|item| condition(item, visit)),
        ("if" | "and" | "or", Expr::Constant(Value::List(items))) => {
            let count = if function == "if" { 1 } else { items.len() };
            items.iter().take(count).filter_map(Value::as_str).for_each(|name| by_name(model, name, visit));
        }
        ("not", value) => condition(value, visit),
        ("get_param", Expr::List(items)) => items.iter().skip(1).for_each(visit),
        (_, other) => visit(other),
    }
}

fn by_name<'m>(model: &'m Model, condition: &str, visit: &mut dyn FnMut(&'m Expr)) {
    if let Some(value) = named(model, condition) {
        visit(value);
    }
}

/// A computed function for an agent.
pub(super) fn wire(model: &Model, function: &Name, argument: &Expr, depth: usize) -> Wire {
    let condition = |value: &Expr| match value {
        Expr::Constant(Value::Str(name)) if depth <= model.conditions.len() => match named(model, name) {
            Some(Expr::Constant(Value::Str(_))) | None => Value::Null.into(),
            Some(Expr::Function { name, argument }) => wire(model, name, argument, depth + 1),
            Some(value) => for_agent(model, value),
        },
        Expr::Function { name, argument } => wire(model, name, argument, depth),
        other => for_agent(model, other),
    };
    let argument = match (&**function, argument) {
        ("if", argument) => Wire::List(
            items(argument)
                .iter()
                .enumerate()
                .map(|(index, item)| if index == 0 { condition(item) } else { for_agent(model, item) })
                .collect(),
        ),
        ("and" | "or", argument) => Wire::List(items(argument).iter().map(condition).collect()),
        ("not", value) => condition(value),
        ("get_param", argument) => {
            let mut path = items(argument);
            let parameter = match path.first() {
                Some(Expr::Constant(Value::Str(name))) => Wire::Leaf(Origin::Parameter(name.clone())),
                _ => Value::Null.into(),
            };
            path = path.get(1..).map(<[_]>::to_vec).unwrap_or_default();
            Wire::List(std::iter::once(parameter).chain(path.iter().map(|step| for_agent(model, step))).collect())
        }
        (_, other) => for_agent(model, other),
    };
    Wire::Function { name: function.clone(), argument: Box::new(argument) }
}

/// The items of a list, constant or not.
fn items(list: &Expr) -> Vec<Expr> {
    match list {
        Expr::List(items) => items.clone(),
        Expr::Constant(Value::List(items)) => items.iter().cloned().map(Expr::Constant).collect(),
        _ => Vec::new(),
    }
}

/// Calls `visit` for each part of a value that an agent resolves: those of functions that it computes too.
pub(super) fn parts<'m>(model: &'m Model, value: &'m Expr, depth: usize, visit: &mut impl FnMut(&'m Expr)) {
    match value {
        Expr::Text(items) | Expr::List(items) => items.iter().for_each(|item| parts(model, item, depth, visit)),
        Expr::Map(items) => IndexMap::values(items).for_each(|item| parts(model, item, depth, visit)),
        Expr::Function { name, argument } if !is_heats(name) => {
            if &**name == "get_param" {
                visit(value);
            }
            let mut given = Vec::new();
            arguments(model, name, argument, depth, &mut |part| given.push(part));
            given.into_iter().for_each(|part| parts(model, part, depth + 1, visit));
        }
        other => visit(other),
    }
}
