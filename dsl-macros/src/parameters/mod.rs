//! `#[derive(Parameters)]`: a struct of the values that are chosen at deployment.

mod ast;
mod constraint;
mod expand;
mod stack;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::errors::Errors;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.keep(syn::parse2::<DeriveInput>(item)) else {
        return errors.into_tokens();
    };
    let declared = ast::declared(&item, &mut errors);
    let expanded = expand::expand(&item, &declared, &mut errors);
    if errors.is_empty() {
        let stack = stack::expand(&item, &declared);
        return quote!(#expanded #stack);
    }
    let (ident, errors) = (&item.ident, errors.into_tokens());
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    quote! {
        #errors

        impl #generics ::wattle::author::Parameters for #ident #arguments #bounds {
            fn declare(_: &mut ::wattle::author::Topology) -> Self {
                ::core::unimplemented!()
            }
        }
    }
}
