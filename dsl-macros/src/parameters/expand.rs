//! The generated code.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::DeriveInput;
use syn::spanned::Spanned;

use crate::constant::{self, argument};
use crate::errors::Errors;
use crate::{docs, source};

use super::ast::Declared;
use super::constraint;

pub(super) fn expand(item: &DeriveInput, declared: &[Declared<'_>], errors: &mut Errors) -> TokenStream {
    let ident = &item.ident;
    let fields: Vec<TokenStream> = declared.iter().map(|declared| field(declared, errors)).collect();
    quote! {
        impl ::wattle::author::Parameters for #ident {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)]
            fn declare(t: &mut ::wattle::author::Topology) -> Self {
                Self { #(#fields,)* }
            }
        }
    }
}

fn field(declared: &Declared<'_>, errors: &mut Errors) -> TokenStream {
    let Declared { ident, name, ty, description, hidden, immutable, tags, .. } = declared;
    let default = match &declared.default {
        None => quote!(::core::option::Option::None),
        Some(value) if argument(ty, "Secret").is_some() => {
            let message = format!("the parameter `{name}` is a secret and must not be written in the blueprint");
            errors.push(value, message, "remove the default: the value is given at deployment");
            return TokenStream::new();
        }
        Some(value) => {
            let value = constant::expand(ty, value, errors);
            quote!(::core::option::Option::Some(#value))
        }
    };
    default_fits(declared, errors);
    let constraints = constraint::expand(declared, errors);
    let port_type = quote_spanned!(ty.span()=> <#ty as ::wattle::author::PortType>::port_type());
    let at = source::expand(ident.span());
    let label = declared.label.as_ref().map_or_else(|| quote!(""), |label| quote!(#label));
    quote! {
        #ident: ::wattle::author::Topology::parameter::<#ty>(
            t,
            #name,
            #port_type,
            ::wattle::author::ParameterOptions {
                label: #label,
                description: #description,
                default: #default,
                constraints: #constraints,
                hidden: #hidden,
                immutable: #immutable,
                tags: &[#(#tags),*],
            },
            #at,
        )
    }
}

/// Compares literals; `check` compares everything else.
fn default_fits(declared: &Declared<'_>, errors: &mut Errors) {
    let Some(default) = &declared.default else { return };
    if let Some(value) = constant::number(default) {
        let bound = |bound: &Option<syn::Expr>| bound.as_ref().and_then(constant::number);
        if bound(&declared.min).is_some_and(|min| value < min) || bound(&declared.max).is_some_and(|max| value > max) {
            let message = format!("the default {value} of the parameter `{}` is outside its bounds", declared.name);
            errors.push(default, message, "choose a value between `min` and `max`");
        }
    }
    if let Some(syn::Expr::Array(allowed)) = &declared.allowed
        && is_literal(default)
        && !allowed.elems.is_empty()
        && allowed.elems.iter().all(is_literal)
        && !allowed.elems.iter().any(|value| docs::source(value) == docs::source(default))
    {
        let message = format!(
            "the default `{}` of the parameter `{}` is not among its allowed values",
            docs::source(default),
            declared.name
        );
        errors.push(default, message, "add it to `allowed`, or choose one of them");
    }
}

fn is_literal(expr: &syn::Expr) -> bool {
    matches!(expr, syn::Expr::Lit(_))
}
