//! `#[component]`: a declaration becomes a handle, a builder, and what `run` needs of both.
//!
//! A pipeline: [`ast`] and [`attr`] read what the author wrote, [`valid`] judges it, [`recipe`] compares it with the
//! recipe, [`expand`] writes what it means. Each of the first three collects errors and goes on; after any error,
//! [`fallback`] writes stubs instead, so that nothing else in the crate complains.

mod ast;
mod attr;
mod builder;
mod expand;
mod fallback;
mod files;
mod recipe;
mod valid;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

use crate::errors::Errors;

pub(crate) fn expand(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parsed = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(parsed)) => parsed,
        Ok(other) => {
            let what = match &other {
                Item::Enum(_) => "an enum",
                Item::Union(_) => "a union",
                Item::Fn(_) => "a function",
                Item::Impl(_) => "an impl block",
                _ => "something that is not a struct",
            };
            let message = format!("`#[component]` stands on {what}");
            let first: TokenStream = item.into_iter().take(2).collect();
            errors.push(
                first,
                message,
                "a component is declared by a struct whose fields are `#[input]`s and `#[output]`s",
            );
            let errors = errors.into_tokens();
            return quote!(#errors #other);
        }
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#error);
        }
    };
    let component = ast::Component::read(keys, parsed, &mut errors);
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
