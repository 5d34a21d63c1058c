//! The recipe: found, read, and taken along.

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;

use super::ast::{Component, Field};

/// What travels with the component.
pub(super) struct Recipe {
    /// Variant of the model's `Tool`.
    pub(super) tool: &'static str,
    pub(super) entry: String,
    pub(super) files: Vec<Embedded>,
}

/// A file that the program holds.
pub(super) struct Embedded {
    /// Relative to the crate.
    pub(super) path: String,
    pub(super) is_text: bool,
}

pub(super) fn read(component: &Component, errors: &mut Errors) -> Option<Recipe> {
    let recipe = component.keys.recipe.as_ref()?.value();
    let _ = errors;
    let mut files = vec![Embedded { path: recipe.clone(), is_text: true }];
    files.extend(component.keys.files.iter().map(|file| Embedded { path: file.value(), is_text: true }));
    Some(Recipe { tool: "Shell", entry: recipe, files })
}

impl Recipe {
    /// Where a Chef recipe has the value of a field; empty for other tools.
    pub(super) fn path(&self, _: &Field) -> Vec<String> {
        Vec::new()
    }
}

impl Embedded {
    /// The file as an expression; the compiler watches it for changes.
    pub(super) fn expand(&self) -> TokenStream {
        let path = &self.path;
        let below = format!("/{path}");
        let (content, include) = if self.is_text {
            (quote!(Text), quote!(::core::include_str!))
        } else {
            (quote!(Binary), quote!(::core::include_bytes!))
        };
        quote! {
            ::wattle::model::File {
                path: ::std::borrow::Cow::Borrowed(#path),
                content: ::wattle::model::Content::#content(::std::borrow::Cow::Borrowed(
                    #include(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #below))
                )),
            }
        }
    }
}
