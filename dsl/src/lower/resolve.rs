//! Expressions in the form that their resolver needs: Heat, or an agent.

use std::convert::Infallible;

use crate::analysis::attribute::Attribute;
use crate::analysis::function::{self, is_heats, is_pseudo, named};
use crate::model::{Expr, Model, Name, Reference, Resource, Step, Value, template_of};

use super::hot::Hot;
use super::seed::{Origin, Wire};

/// The form for Heat of expressions that need more than the template's own resources.
pub(crate) trait Late {
    /// The value of something that is known only once software runs.
    fn value(&self, reference: &Reference) -> Hot;

    /// A value within text.
    fn text(&self, expr: &Expr) -> Hot;
}

/// There is no such form: values that only an agent can know cannot be expressed.
struct Never;

impl Late for Never {
    fn value(&self, _: &Reference) -> Hot {
        Hot::Value(Value::Null)
    }

    fn text(&self, expr: &Expr) -> Hot {
        for_heat(expr)
    }
}

/// The value for Heat. In a sound model, nothing here can be known by an agent only.
pub(crate) fn for_heat(expr: &Expr) -> Hot {
    for_heat_with(expr, &Never)
}

/// The value for Heat, with `late` for values that are known only once software runs.
pub(crate) fn for_heat_with(expr: &Expr, late: &impl Late) -> Hot {
    match expr {
        Expr::Constant(value) => Hot::Value(value.clone()),
        Expr::Leaf(Reference::Parameter(name)) => Hot::parameter(name.clone()),
        Expr::Leaf(Reference::Resource(name)) => Hot::GetResource(name.clone()),
        Expr::Leaf(Reference::Attribute { resource, attribute, path }) => {
            Hot::GetAttr { resource: resource.clone(), attribute: attribute.clone(), path: steps(path) }
        }
        Expr::Text(parts) => text(parts, late),
        Expr::List(items) => Hot::List(items.iter().map(|item| for_heat_with(item, late)).collect()),
        Expr::Map(items) => {
            Hot::Map(items.iter().map(|(name, item)| (name.clone(), for_heat_with(item, late))).collect())
        }
        Expr::Function { name, argument } => Hot::Function(name.clone(), Box::new(for_heat_with(argument, late))),
        Expr::Leaf(reference) => late.value(reference),
    }
}

/// An attribute for Heat.
pub(super) fn attribute_for_heat(attribute: &Attribute<'_>) -> Hot {
    let resource = attribute.resource.clone();
    match attribute.name {
        Some(name) => Hot::GetAttr { resource, attribute: name.clone(), path: steps(attribute.path) },
        None => Hot::GetResource(resource),
    }
}

fn steps(path: &[Step]) -> Vec<Hot> {
    let step = |step: &Step| match step {
        Step::Key(name) => Hot::Value(Value::Str(name.clone())),
        Step::Index(index) => Hot::Value(Value::from(*index)),
        Step::Resource(name) => Hot::GetResource(name.clone()),
    };
    path.iter().map(step).collect()
}

/// `str_replace` over keys `<1>`, `<2>`, ... Heat joins only strings, but can also insert numbers and booleans.
fn text(parts: &[Expr], late: &impl Late) -> Hot {
    let (template, params) = template_of(parts);
    let template: Hot = template.as_str().into();
    if params.is_empty() {
        return template;
    }
    let params = params.into_iter().map(|(key, part)| (key.into(), late.text(part)));
    Hot::StrReplace { template: Box::new(template), params: params.collect() }
}

/// The value for an agent.
pub(super) fn for_agent(model: &Model, expr: &Expr) -> Wire {
    let Ok(wire) = expr.rebuild::<_, Infallible>(&mut |part| {
        Ok(match part {
            Expr::Leaf(reference) => Some(leaf(model, reference)),
            Expr::Function { name, .. } if is_heats(name) => {
                Some(Wire::Leaf(Origin::UserData(function::key(name, part).into())))
            }
            Expr::Function { name, argument } => Some(wire(model, name, argument, 0)),
            Expr::Constant(_) | Expr::Text(_) | Expr::List(_) | Expr::Map(_) => None,
        })
    });
    wire
}

fn leaf(model: &Model, reference: &Reference) -> Wire {
    Wire::Leaf(match reference {
        Reference::Parameter(name) if is_pseudo(name) => Origin::UserData(name.clone()),
        Reference::Parameter(name) => Origin::Parameter(name.clone()),
        Reference::Resource(resource) => attribute(model, &Attribute { resource, name: None, path: &[] }),
        Reference::Attribute { resource, attribute: name, path } => {
            attribute(model, &Attribute { resource, name: Some(name), path })
        }
        Reference::Output { component, output } => Origin::Entry(format!("{component}/{output}").into()),
        Reference::Import { stack, export } => Origin::Import { stack: stack.clone(), export: export.clone() },
        Reference::ForwardReference(name) => {
            return model.fulfilled(name).map_or(Value::Null.into(), |binding| for_agent(model, &binding.value));
        }
        Reference::Foreign { .. } => return Value::Null.into(),
    })
}

fn attribute(model: &Model, attribute: &Attribute<'_>) -> Origin {
    if model.resources.get(attribute.resource).is_some_and(Resource::is_server) {
        Origin::Entry(attribute.entry().into())
    } else {
        Origin::UserData(attribute.user_data_key().into())
    }
}

/// A computed function for an agent.
fn wire(model: &Model, function: &Name, argument: &Expr, depth: usize) -> Wire {
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
