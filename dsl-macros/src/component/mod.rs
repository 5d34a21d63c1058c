//! `#[component]`: turns a declaration into a handle, a builder, and the implementations that `run` needs.
//!
//! A pipeline: [`ast`] and [`attr`] read the declaration, [`valid`] checks it, [`recipe`] compares it with the recipe, and
//! [`expand`] generates the code. Each of the first three collects errors and continues. After any error, [`fallback`]
//! generates stubs instead, so that there are no further errors in the crate.

mod ast;
mod attr;
mod builder;
mod depends;
mod expand;
mod fallback;
mod files;
mod left_behind;
mod listen;
mod plain;
mod recipe;
mod teardown;
mod valid;

pub(crate) use files::Crate;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

use crate::errors::Errors;

pub(crate) fn expand(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parsed = match syn::parse2::<Item>(item) {
        Ok(Item::Struct(parsed)) => parsed,
        Ok(other) => return misplaced(&other, errors),
        Err(error) => return error.into_compile_error(),
    };
    let component = attr::declaration(keys, parsed, &mut errors);
    valid::check(&component, &mut errors);
    let recipe = recipe::read(&component, &mut errors);
    match recipe {
        Some(recipe) if errors.is_empty() => {
            let expanded = expand::expand(&component, &recipe, &mut errors);
            if errors.is_empty() { expanded } else { fallback::expand(&component, errors) }
        }
        _ => fallback::expand(&component, errors),
    }
}

fn misplaced(item: &Item, mut errors: Errors) -> TokenStream {
    let (what, at) = match item {
        Item::Enum(item) => ("an enum", item.ident.to_token_stream()),
        Item::Union(item) => ("a union", item.ident.to_token_stream()),
        Item::Fn(item) => ("a function", item.sig.ident.to_token_stream()),
        other => ("something that is not a struct", other.to_token_stream().into_iter().take(1).collect()),
    };
    let help = "declare a component by a struct whose fields are `#[input]`s and `#[output]`s";
    errors.push(at, format!("`#[component]` is used on {what}"), help);
    let errors = errors.into_tokens();
    quote!(#errors #item)
}
