//! `#[derive(PortType)]`: structs that flow between components.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields};
use wattle_words::Bandwidth;

use crate::errors::Errors;
use crate::keys::{Keys, Known};
use crate::{bandwidth, docs, names};

const SHAPE: &str = "write `#[derive(PortType)] struct Node { host: String, port: u16 }`";

static KNOWN: Known = Known { attribute: "#[port_type(...)]", keys: &["bandwidth"] };

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.keep(syn::parse2::<DeriveInput>(item)) else {
        return errors.into_tokens();
    };
    let fields = fields(&item, &mut errors);
    let bandwidth = bandwidth_of(&item, &mut errors);
    if !errors.is_empty() {
        return stub(&item, errors);
    }
    let ident = &item.ident;
    let plain: Vec<String> = fields.iter().filter_map(|field| field.ident.as_ref()).map(names::plain).collect();
    let idents: Vec<_> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let port_types =
        types.iter().map(|ty| quote_spanned!(ty.span()=> <#ty as ::wattle::author::PortType>::port_type()));
    let values = types
        .iter()
        .zip(&idents)
        .map(|(ty, ident)| quote!(<#ty as ::wattle::author::PortType>::into_value(self.#ident)));
    let values_back = types.iter().map(|ty| quote!(<#ty as ::wattle::author::PortType>::from_value));
    // A bound with a lifetime is checked where it is needed. Without one, a struct with a secret would not compile.
    let public = types.iter().map(|ty| quote!(for<'judged_where_used> #ty: ::wattle::author::Public));
    let bandwidth = if bandwidth.is_some() {
        bandwidth::expand(bandwidth)
    } else {
        quote!(::wattle::model::Bandwidth::sum(&[#(<#types as ::wattle::author::PortType>::BANDWIDTH,)*]))
    };
    let (constants, twin) = (constants(&item), twin(&item, &fields));
    quote! {
        #[diagnostic::do_not_recommend]
        impl ::wattle::author::PortType for #ident {
            const BANDWIDTH: ::core::option::Option<::wattle::model::Bandwidth> = #bandwidth;

            fn port_type() -> ::wattle::model::Type {
                ::wattle::model::Type::Struct(::core::iter::FromIterator::from_iter([
                    #((::wattle::model::Name::from(#plain), #port_types),)*
                ]))
            }

            fn into_value(self) -> ::wattle::model::Value {
                ::wattle::model::Value::Map(::core::iter::FromIterator::from_iter([
                    #((::wattle::model::Name::from(#plain), #values),)*
                ]))
            }

            fn from_value(value: ::wattle::model::Value) -> ::core::option::Option<Self> {
                let ::wattle::model::Value::Map(mut fields) = value else { return ::core::option::Option::None };
                ::core::option::Option::Some(Self {
                    #(#idents: #values_back(fields.shift_remove(#plain)?)?,)*
                })
            }
        }

        #[diagnostic::do_not_recommend]

        impl ::wattle::author::Public for #ident where #(#public,)* {}

        #constants

        #twin
    }
}

/// The bandwidth in `#[port_type(...)]`.
fn bandwidth_of(item: &DeriveInput, errors: &mut Errors) -> Option<Bandwidth> {
    let mut said = item.attrs.iter().filter(|attr| attr.path().is_ident("port_type"));
    let (first, again) = (said.next()?, said.next());
    if let Some(again) = again {
        errors.push(again, "`#[port_type(...)]` is written twice", "keep one of the two");
    }
    bandwidth::of(&mut Keys::of(first, &KNOWN, errors), errors).map(|(bandwidth, _)| bandwidth)
}

/// The struct whose fields report that those of a deferred struct cannot be taken out.
fn twin(item: &DeriveInput, fields: &[&Field]) -> TokenStream {
    let ident = &item.ident;
    let name = format_ident!("{ident}Fields");
    let idents: Vec<_> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let types = fields.iter().map(|field| &field.ty);
    quote! {
        const _: () = {
            #[allow(missing_docs)]
            pub struct #name {
                #(pub #idents: ::wattle::FieldNotKnownYet<#types>,)*
            }

            impl ::wattle::author::Fielded for #ident {
                type Fields = #name;
                const FIELDS: &'static #name = &#name { #(#idents: ::wattle::FieldNotKnownYet::NEW,)* };
            }
        };
    }
}

/// Implements the places where a value in the blueprint itself may go.
fn constants(item: &DeriveInput) -> TokenStream {
    let ident = &item.ident;
    quote! {
        #[diagnostic::do_not_recommend]
        impl ::wattle::author::IntoInput<#ident> for #ident {
            fn into_input(self) -> ::wattle::author::Expression {
                ::wattle::author::Expression::Constant(::wattle::author::PortType::into_value(self))
            }
        }

        #[diagnostic::do_not_recommend]

        impl ::wattle::author::Constant<#ident> for #ident {
            fn into_constant(self) -> ::wattle::model::Value {
                ::wattle::author::PortType::into_value(self)
            }
        }

        #[diagnostic::do_not_recommend]

        impl ::wattle::author::Exportable for #ident {
            type Type = Self;
            fn into_export(self) -> ::wattle::author::Expression {
                ::wattle::author::Expression::Constant(::wattle::author::PortType::into_value(self))
            }
        }
    }
}

fn stub(item: &DeriveInput, errors: Errors) -> TokenStream {
    let (ident, constants, errors) = (&item.ident, constants(item), errors.into_tokens());
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    // Constants need a type without arguments; a generic struct is refused anyway.
    let constants = if item.generics.params.is_empty() { constants } else { TokenStream::new() };
    quote! {
        #errors

        impl #generics ::wattle::author::PortType for #ident #arguments #bounds {
            fn port_type() -> ::wattle::model::Type {
                ::core::unimplemented!()
            }

            fn into_value(self) -> ::wattle::model::Value {
                ::core::unimplemented!()
            }

            fn from_value(_: ::wattle::model::Value) -> ::core::option::Option<Self> {
                ::core::unimplemented!()
            }
        }

        impl #generics ::wattle::author::Public for #ident #arguments #bounds {}

        #constants
    }
}

fn fields<'a>(item: &'a DeriveInput, errors: &mut Errors) -> Vec<&'a Field> {
    let ident = &item.ident;
    if !item.generics.params.is_empty() {
        let help = "write a separate struct for each type that it is used with";
        errors.push(&item.generics, format!("`{ident}` is generic and cannot flow between components"), help);
    }
    let named = match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            Fields::Unnamed(_) | Fields::Unit => {
                let message = format!("`{ident}` has no named fields and cannot flow between components");
                errors.push(ident, message, SHAPE);
                return Vec::new();
            }
        },
        Data::Enum(_) | Data::Union(_) => {
            let message = format!("`{ident}` is not a struct and cannot flow between components");
            errors.push(ident, message, SHAPE);
            return Vec::new();
        }
    };
    for field in named {
        let Some(name) = field.ident.as_ref().map(names::plain) else { continue };
        if let Some(why) = names::refuse(&name) {
            errors.push(&field.ident, format!("`{name}` cannot name a field of `{ident}`: {why}"), "rename the field");
        }
        let ty = docs::type_name(&field.ty);
        let words = ty.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        if words.into_iter().any(|word| word == "Self" || *ident == word) {
            let help = "refer to others by name: a recipe reads a value as a whole, and this one would never end";
            errors.push(&field.ty, format!("`{ident}` contains itself and cannot flow between components"), help);
        }
    }
    named.iter().collect()
}
