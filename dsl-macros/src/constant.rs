//! Constants of a declaration: defaults and allowed values.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, Type};
use wattle_words::{Scalar, time};

use crate::errors::Errors;
use crate::{docs, keys};

/// The expression that converts `value`, a constant of type `ty`, into data.
///
/// The compiler checks the rest, against `Constant<T>`.
pub(crate) fn expand(ty: &Type, value: &Expr, errors: &mut Errors) -> TokenStream {
    if let Expr::Array(array) = value
        && array.elems.is_empty()
        && last_segment(ty).is_some_and(|segment| segment == "Vec")
    {
        return quote!(::wattle::model::Value::List(::std::vec::Vec::new()));
    }
    if let Some(text) = keys::string(value)
        && let Some(scalar) = last_segment(ty).and_then(|segment| Scalar::of_rust(&segment))
    {
        let text = text.value();
        let help = match (scalar, scalar.example()) {
            (Scalar::Seconds, _) => match time::seconds(&text) {
                Ok(seconds) => return quote!(::wattle::model::Value::Integer(#seconds as i128)),
                Err(help) => Some(help),
            },
            (_, Some(example)) if !scalar.holds(&text) => Some(format!("write {scalar}, such as \"{example}\"")),
            _ => None,
        };
        if let Some(help) = help {
            errors.push(value, format!("`{text}` is not a `{}`", docs::type_name(ty)), help);
            return quote!(::wattle::model::Value::Null);
        }
    }
    quote_spanned!(value.span()=> ::wattle::author::constant::<#ty>(#value))
}

/// The value of a numeric literal, with its sign.
pub(crate) fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => number(expr).map(|number| -number),
        Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}

/// The name of a type without its path and arguments.
pub(crate) fn last_segment(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// `T` if `ty` is `NAME<T>`.
pub(crate) fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let path = match ty {
        Type::Path(path) => path,
        Type::Group(group) => return argument(&group.elem, name),
        Type::Paren(paren) => return argument(&paren.elem, name),
        _ => return None,
    };
    let segment = path.path.segments.last().filter(|segment| segment.ident == name)?;
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
            _ => None,
        },
        _ => None,
    }
}
