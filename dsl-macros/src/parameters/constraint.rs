//! The constraints on a parameter's value.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit, Type};
use wattle_words::{Carrier, Scalar};

use crate::constant::{self, last_segment, number};
use crate::docs;
use crate::errors::Errors;

use super::ast::Declared;

/// The constraints of one parameter, as an expression.
pub(super) fn expand(declared: &Declared<'_>, errors: &mut Errors) -> TokenStream {
    let constraints = by_keys(declared, errors);
    match &declared.constraints {
        None => quote!(::std::vec![#(#constraints),*]),
        Some(more) => quote!({
            let mut constraints = ::std::vec![#(#constraints),*];
            ::core::iter::Extend::<::wattle::model::Constraint>::extend(&mut constraints, #more);
            constraints
        }),
    }
}

fn by_keys(declared: &Declared<'_>, errors: &mut Errors) -> Vec<TokenStream> {
    fits(declared, errors);
    let mut constraints = Vec::new();
    if let Some(name) = &declared.constraint {
        constraints.push(quote!(CustomConstraint(::wattle::model::Name::from(#name))));
    }
    if declared.min.is_some() || declared.max.is_some() {
        let (min, max) = (bound(declared.min.as_ref()), bound(declared.max.as_ref()));
        ordered("min", declared.min.as_ref(), "max", declared.max.as_ref(), errors);
        constraints.push(quote!(Range { min: #min, max: #max }));
    }
    if declared.min_length.is_some() || declared.max_length.is_some() {
        let min = length("min_length", declared.min_length.as_ref(), errors);
        let max = length("max_length", declared.max_length.as_ref(), errors);
        ordered("min_length", declared.min_length.as_ref(), "max_length", declared.max_length.as_ref(), errors);
        constraints.push(quote!(Length { min: #min, max: #max }));
    }
    if let Some(pattern) = &declared.pattern {
        constraints.push(quote!(AllowedPattern(::wattle::model::Name::from(#pattern))));
    }
    if let Some(allowed) = &declared.allowed {
        match allowed {
            Expr::Array(array) if !array.elems.is_empty() => {
                let values: Vec<_> =
                    array.elems.iter().map(|value| constant::expand(declared.ty, value, errors)).collect();
                constraints.push(quote!(AllowedValues(::std::vec![#(#values),*])));
            }
            Expr::Array(_) => {
                errors.push(
                    allowed,
                    format!("no value is allowed for the parameter `{}`", declared.name),
                    "list at least one",
                );
            }
            _ => {
                errors.push(
                    allowed,
                    "`allowed` of `#[parameter(...)]` must be a list",
                    "write `allowed = [\"small\", \"large\"]`",
                );
            }
        }
    }
    constraints.into_iter().map(|constraint| quote!(::wattle::model::Constraint::#constraint)).collect()
}

/// The constraints that a type supports, judged by its name.
#[derive(PartialEq)]
enum Shape {
    Number,
    Text,
    List,
    Other,
    Unknown,
}

fn shape(ty: &Type) -> Shape {
    if let Some(inner) = constant::argument(ty, "Secret") {
        return shape(inner);
    }
    let Some(name) = last_segment(ty) else { return Shape::Unknown };
    match Scalar::of_rust(&name).map(Scalar::carrier) {
        Some(Carrier::Number) => Shape::Number,
        Some(Carrier::Text) => Shape::Text,
        Some(Carrier::Boolean) => Shape::Other,
        None if matches!(name.as_str(), "Vec" | "BTreeMap") => Shape::List,
        None => Shape::Unknown,
    }
}

fn fits(declared: &Declared<'_>, errors: &mut Errors) {
    use Shape::{List, Number, Text, Unknown};
    let shape = shape(declared.ty);
    let ty = docs::type_name(declared.ty);
    let mut refuse = |value: &Expr, key: &str, takes: &str, shapes: &[Shape], help: &str| {
        if shape != Unknown && !shapes.contains(&shape) {
            let message = format!("`{key}` bounds {takes}, but the parameter `{}` is a `{ty}`", declared.name);
            errors.push(value, message, help);
        }
    };
    for (key, value) in [("min", &declared.min), ("max", &declared.max)] {
        if let Some(value) = value {
            refuse(value, key, "a number", &[Number], "use `min_length` and `max_length` for a length");
        }
    }
    for (key, value) in [("min_length", &declared.min_length), ("max_length", &declared.max_length)] {
        if let Some(value) = value {
            refuse(value, key, "the length of a text or list", &[Text, List], "use `min` and `max` for a number");
        }
    }
    if let Some(pattern) = &declared.pattern
        && !matches!(shape, Text | Unknown)
    {
        let message = format!("`pattern` is for text, but the parameter `{}` is a `{ty}`", declared.name);
        errors.push(pattern, message, "use `min` and `max` for a number");
    }
}

fn bound(value: Option<&Expr>) -> TokenStream {
    match value {
        None => quote!(::core::option::Option::None),
        Some(value) => {
            let bound = number(value).map_or_else(|| quote!((#value) as f64), |number| quote!(#number));
            quote!(::core::option::Option::Some(#bound))
        }
    }
}

fn length(key: &str, value: Option<&Expr>, errors: &mut Errors) -> TokenStream {
    match value {
        None => quote!(::core::option::Option::None),
        Some(value) => {
            let literal = match value {
                Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse::<u32>().is_ok(),
                other => number(other).is_none() && !matches!(other, Expr::Lit(_)),
            };
            if !literal {
                errors.push(
                    value,
                    format!("`{key}` of `#[parameter(...)]` must be a whole number"),
                    format_args!("write `{key} = 8`"),
                );
            }
            quote!(::core::option::Option::Some(#value))
        }
    }
}

fn ordered(least: &str, min: Option<&Expr>, greatest: &str, max: Option<&Expr>, errors: &mut Errors) {
    if let (Some(min), Some(max)) = (min, max)
        && let (Some(low), Some(high)) = (number(min), number(max))
        && low > high
    {
        errors.push(
            max,
            format!("no value is both at least {low} and at most {high}"),
            format_args!("`{least}` must not exceed `{greatest}`"),
        );
    }
}
