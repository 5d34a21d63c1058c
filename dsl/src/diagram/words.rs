//! Values and types in the few words that a diagram has room for.

use crate::model::{Expr, Name, Reference, Source, Step, Type};

/// A place, as `file:line:column`; empty if it is not known.
pub(super) fn place(at: &Source) -> Name {
    if at.is_known() { at.portable().into() } else { Name::default() }
}

/// A type in a few words, as diagrams and the live view have it: `list of url`, `secret string`.
pub fn type_in_short(ty: &Type) -> String {
    match ty {
        Type::Scalar(scalar) => scalar.word().into(),
        Type::List(item) => format!("list of {}", type_in_short(item)),
        Type::Map(item) => format!("map of {}", type_in_short(item)),
        Type::Struct(fields) => {
            let fields: Vec<_> = fields.iter().map(|(name, of)| format!("{name}: {}", type_in_short(of))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Type::Any => "any".into(),
        Type::Hidden(inner) => format!("secret {}", type_in_short(inner)),
    }
}

/// A constant that must not be shown.
const MASKED: &str = "•••";

/// The value, or its origin. Constants are masked if they are `secret`.
pub(super) fn value(expr: &Expr, secret: bool) -> String {
    let all = |parts: &[Expr]| parts.iter().map(|part| value(part, secret)).collect::<Vec<_>>();
    match expr {
        Expr::Constant(_) if secret => MASKED.into(),
        Expr::Constant(constant) => constant.to_string(),
        Expr::Leaf(Reference::Parameter(name)) => format!("parameter {name}"),
        Expr::Leaf(Reference::Resource(name)) => name.to_string(),
        Expr::Leaf(Reference::Attribute { resource, attribute, path }) => {
            let mut text = format!("{resource}.{attribute}");
            for step in path {
                match step {
                    Step::Key(name) | Step::Resource(name) => text.extend([".", name]),
                    Step::Index(index) => text.push_str(&format!(".{index}")),
                }
            }
            text
        }
        Expr::Leaf(Reference::Output { component, output }) => format!("{component}/{output}"),
        Expr::Leaf(Reference::ForwardReference(name)) => format!("forward reference {name}"),
        Expr::Leaf(Reference::Import { stack, export }) => format!("{export} of stack {stack}"),
        Expr::Text(parts) => {
            let part = |part: &Expr| match part {
                Expr::Constant(_) if secret => MASKED.into(),
                Expr::Constant(constant) => constant.as_str().map_or_else(|| constant.to_string(), str::to_owned),
                other => format!("{{{}}}", value(other, secret)),
            };
            format!("\"{}\"", parts.iter().map(part).collect::<String>())
        }
        Expr::List(items) => format!("[{}]", all(items).join(", ")),
        Expr::Map(items) => {
            let items: Vec<_> = items.iter().map(|(name, item)| format!("{name}: {}", value(item, secret))).collect();
            format!("{{{}}}", items.join(", "))
        }
        Expr::Function { name, argument } => format!("{name}({})", value(argument, secret)),
        Expr::Leaf(Reference::Foreign { what }) => format!("{what} of another topology"),
    }
}
