//! A stub for a component whose declaration has errors: it has every item that other code uses, and accepts anything.

use proc_macro2::TokenStream;
use quote::quote;

use crate::constant::argument;
use crate::docs;
use crate::errors::Errors;

use super::ast::{Component, Role};
use super::plain;

pub(super) fn expand(component: &Component, errors: Errors) -> TokenStream {
    let errors = errors.into_tokens();
    let Component { vis, ident, .. } = component;
    let docs = component.attrs.iter().filter(|attr| docs::is_doc(attr));
    let (builder, plain) = (component.builder(), plain::stub(component));
    // A field with an unknown role is both, so that its uses cause no further errors.
    let outputs: Vec<_> = component.fields.iter().filter(|field| !matches!(field.role, Role::Input { .. })).collect();
    let inputs = component.fields.iter().filter(|field| !matches!(field.role, Role::Output { .. }));
    let mut seen = std::collections::HashSet::new();
    let fields = outputs.iter().filter(|field| seen.insert(&field.name)).map(|field| {
        let (name, ty) = (&field.ident, argument(&field.ty, "Option").unwrap_or(&field.ty));
        quote!(#[allow(missing_docs)] pub #name: ::wattle::author::Output<#ty>)
    });
    let mut seen = std::collections::HashSet::new();
    let setters = inputs.filter(|field| seen.insert(&field.name)).map(|field| {
        let name = &field.ident;
        quote!(#[allow(missing_docs)] pub fn #name<V>(self, _: V) -> Self { self })
    });
    // A refused output with that name is replaced by the component itself.
    let (own, component) = if outputs.iter().any(|field| field.name == "component") {
        (quote!(), quote!(::core::unimplemented!()))
    } else {
        (quote!(#[allow(missing_docs)] pub component: ::wattle::author::Component,), quote!(self.component))
    };
    quote! {
        #errors

        #plain

        #(#docs)*
        #[derive(Clone, Copy)]
        #[allow(dead_code)]
        #vis struct #ident {
            #own
            #(#fields,)*
        }

        impl ::wattle::author::AsComponent for #ident {
            fn component(self) -> ::wattle::author::Component {
                #component
            }
        }

        #[allow(missing_docs)]
        #vis struct #builder;

        #[allow(dead_code, missing_docs, clippy::new_ret_no_self)]
        impl #ident {
            pub fn new() -> #builder {
                #builder
            }
        }

        #[allow(dead_code, unreachable_pub)]
        impl #builder {
            #(#setters)*
        }

        impl ::wattle::author::Software for #builder {
            type Handle = #ident;
            const COMPONENT_TYPE: &'static str = "";

            fn declaration() -> ::wattle::model::Declaration {
                ::core::unimplemented!()
            }

            fn into_inputs(self) -> ::wattle::author::Inputs {
                ::core::unimplemented!()
            }

            fn handle(_: ::wattle::author::Component) -> #ident {
                ::core::unimplemented!()
            }
        }
    }
}
