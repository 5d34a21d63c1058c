//! Inputs and outputs as plain values: the argument and the result of a test's fake for the component.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, Type};

use crate::constant::argument;

use super::ast::{Component, Field, Role};
use super::builder::collect;
use super::expand::fallback_doc;

/// Two structs that are reachable only through `wattle::testing`, so that they do not occupy names in the author's module.
pub(super) fn expand(component: &Component) -> TokenStream {
    let reads: Vec<_> = component.inputs().collect();
    let writes: Vec<_> = component.outputs().collect();
    let of = |fields: &[&Field]| {
        let fields = fields.iter().map(|field| taken_from(field));
        quote! {
            let _ = values;
            Self { #(#fields,)* }
        }
    };
    let put = writes.iter().map(|field| {
        let (ident, name, ty) = (&field.ident, &field.name, plain(field));
        let into_value = quote_spanned!(ty.span()=> <#ty as ::wattle::author::PortType>::into_value);
        quote!(values.put(#name, #into_value(self.#ident));)
    });
    let into_values = quote! {
        #[allow(unused_mut)]
        let mut values = ::wattle::testing::Values::new();
        #(#put)*
        values
    };
    structs(component, &reads, &writes, [&of(&reads), &of(&writes), &into_values])
}

/// Stubs after an error: nothing runs, and tests of the component cause no further errors.
pub(super) fn stub(component: &Component) -> TokenStream {
    // A field with an unknown role is both. A repeated name is one field.
    let once = |role: fn(&Role) -> bool| {
        let mut seen = HashSet::new();
        let of_role = component.fields.iter().filter(move |field| !role(&field.role));
        of_role.filter(|field| seen.insert(field.name.clone())).collect::<Vec<_>>()
    };
    let reads = once(|role| matches!(role, Role::Output { .. }));
    let writes = once(|role| matches!(role, Role::Input { .. }));
    let nothing = quote!(::core::unimplemented!());
    structs(
        component,
        &reads,
        &writes,
        [&quote!(let _ = values; #nothing), &quote!(let _ = values; #nothing), &nothing],
    )
}

/// The structs, with conversions from values, and to values for outputs.
fn structs(
    component: &Component,
    reads: &[&Field],
    writes: &[&Field],
    [given_of, outputs_of, into_values]: [&TokenStream; 3],
) -> TokenStream {
    let ident = &component.ident;
    let mut taken = HashSet::from([ident.to_string()]);
    component.fields.iter().for_each(|field| collect(field.ty.to_token_stream(), &mut taken));
    let mut name = |what: &str| {
        let mut name = format!("{ident}{what}");
        // It would shadow one of the author's types with this name.
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    };
    let (given, outputs) = (name("Given"), name("Outputs"));
    let given_fields = reads.iter().map(|field| declared(field, "input", ident));
    let output_fields = writes.iter().map(|field| declared(field, "output", ident));
    let kind = format!("::{ident}");
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, unreachable_pub, missing_docs)]
        const _: () = {
            // An invalid name is reported once, at its setter or its handle.
            #[allow(non_snake_case)]
            pub struct #given {
                #(#given_fields,)*
            }

            #[allow(non_snake_case)]
            pub struct #outputs {
                #(#output_fields,)*
            }

            #[automatically_derived]
            impl ::wattle::testing::Fakeable for #ident {
                type Inputs = #given;
                type Outputs = #outputs;
                const COMPONENT_TYPE: &'static str = ::core::concat!(::core::module_path!(), #kind);
            }

            #[automatically_derived]
            impl ::wattle::testing::Plain for #given {
                #[inline]
                fn of(values: &::wattle::testing::Values) -> Self {
                    #given_of
                }
            }

            #[automatically_derived]
            impl ::wattle::testing::Plain for #outputs {
                #[inline]
                fn of(values: &::wattle::testing::Values) -> Self {
                    #outputs_of
                }
            }

            #[automatically_derived]
            impl ::wattle::testing::Written for #outputs {
                #[inline]
                fn into_values(self) -> ::wattle::testing::Values {
                    #into_values
                }
            }
        };
    }
}

/// The type without its confidentiality: a fake must be able to read the value.
fn plain(field: &Field) -> &Type {
    let ty = field.value_type();
    argument(ty, "Secret").unwrap_or(ty)
}

/// Whether it may be absent when the recipe runs.
fn may_be_absent(field: &Field) -> bool {
    field.is_optional() && !field.has_default()
}

fn declared(field: &Field, what: &str, component: &Ident) -> TokenStream {
    let (ident, ty) = (&field.ident, plain(field));
    let docs = field.attrs.iter().filter(|attr| crate::docs::is_doc(attr));
    let fallback = fallback_doc(field, what, component);
    let ty = if may_be_absent(field) { quote!(::core::option::Option<#ty>) } else { ty.to_token_stream() };
    quote_spanned!(ident.span()=> #(#docs)* #fallback pub #ident: #ty)
}

fn taken_from(field: &Field) -> TokenStream {
    let (ident, name, ty) = (&field.ident, &field.name, plain(field));
    let take = if may_be_absent(field) { quote!(optional) } else { quote!(get) };
    // As in all other places where the type must be a port type: one mistake causes one error.
    let from_value = quote_spanned!(ty.span()=> <#ty as ::wattle::author::PortType>::from_value);
    quote!(#ident: values.#take(#name, #from_value))
}
