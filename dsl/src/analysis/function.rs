//! Heat's functions, applied to values that agents know.
//!
//! Most functions are computed where their arguments are known: from constants and parameters when the seed is applied,
//! otherwise by the agent that reads the value. A function that only Heat can compute goes to Heat as a whole, and its
//! value reaches the agent in the server's user data. So it cannot have an argument that Heat does not know.

use sha2::{Digest, Sha256};
use wattle_heat::template::Function;

use crate::model::{Expr, IndexMap, Model, Reference, Referred, Resource, Value};

/// Whether a parameter is one that every stack has without declaring it, and that only Heat knows.
pub(crate) fn is_pseudo(parameter: &str) -> bool {
    parameter.starts_with("OS::")
}

/// Whether only Heat can compute the function.
pub(crate) fn is_heats(function: &str) -> bool {
    !Function::of(function).is_some_and(Function::is_computed)
}

/// The name, in the user data, of a value that Heat computes. It stays the same as long as the value's expression does.
pub(crate) fn key(function: &str, value: &Expr) -> String {
    let json = serde_json::to_vec(value).unwrap_or_default();
    let digest = Sha256::digest(&json);
    digest[..4].iter().fold(format!("{function}."), |key, byte| format!("{key}{byte:02x}"))
}

/// The function whose value a server gets under this name in its user data, if only Heat can compute it.
pub fn computed_by_heat(key: &str) -> Option<&str> {
    let (function, digest) = key.split_once('.')?;
    let is_digest = digest.len() == 8 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_digest && is_heats(function)).then_some(function)
}

/// The first part of `value` that Heat does not know or must not resolve: a reference to an output, a forward reference, an
/// export of another stack, a server, or a secret.
pub(crate) fn unknown_to_heat<'m>(model: &'m Model, value: &'m Expr) -> Option<Referred<'m>> {
    value.references().find(|reference| match reference {
        Reference::Output { .. } | Reference::ForwardReference(_) | Reference::Import { .. } => true,
        Reference::Resource(name) | Reference::Attribute { resource: name, .. } => {
            model.resources.get(*name).is_some_and(Resource::is_server)
        }
        Reference::Parameter(name) => model.parameters.get(*name).is_some_and(crate::model::Parameter::is_hidden),
        Reference::Foreign { .. } => false,
    })
}

/// The expression of the condition with this name.
pub(crate) fn named<'m>(model: &'m Model, name: &str) -> Option<&'m Expr> {
    model.conditions.get(name).map(|condition| &condition.value)
}

/// All arguments of a computed function, with names of conditions replaced by their expressions.
fn arguments<'m>(model: &'m Model, function: &str, argument: &'m Expr, depth: usize, visit: &mut impl FnMut(&'m Expr)) {
    // Heat refuses conditions that refer to each other in a cycle.
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

/// Calls `visit` for each part of a value that an agent resolves, including the parts of functions that it computes.
pub(crate) fn parts<'m>(model: &'m Model, value: &'m Expr, depth: usize, visit: &mut impl FnMut(&'m Expr)) {
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
