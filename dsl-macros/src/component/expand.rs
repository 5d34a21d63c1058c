//! Expands a declaration: the handle, the builder, and the declaration as data.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::{bandwidth, constant, docs, source};

use super::ast::{Component, Field, Role};
use super::builder::Builder;
use super::listen;
use super::plain;
use super::recipe::{Embedded, Recipe};

pub(super) fn expand(component: &Component, recipe: &Recipe, errors: &mut Errors) -> TokenStream {
    let handle = handle(component);
    let builder = Builder::of(component);
    let definition = builder.expand();
    let software = software(component, recipe, &builder, errors);
    let plain = plain::expand(component);
    quote!(#handle #definition #software #plain)
}

/// The struct that `run` returns.
pub(super) fn handle(component: &Component) -> TokenStream {
    let Component { attrs, vis, ident, .. } = component;
    let fields = component.outputs().map(|field| {
        let Field { ident: name, ty, attrs, .. } = field;
        let fallback = fallback_doc(field, "output", ident);
        quote_spanned!(name.span()=> #(#attrs)* #fallback pub #name: ::wattle::author::Output<#ty>)
    });
    quote! {
        #(#attrs)*
        #[derive(Clone, Copy)]
        #[allow(dead_code)]
        #vis struct #ident {
            /// The component itself, as an argument of `t.after(...)`.
            pub component: ::wattle::author::Component,
            #(#fields,)*
        }

        #[automatically_derived]
        impl ::wattle::author::AsComponent for #ident {
            fn component(self) -> ::wattle::author::Component {
                self.component
            }
        }
    }
}

/// A line of documentation for items without any.
pub(super) fn fallback_doc(field: &Field, what: &str, component: &Ident) -> TokenStream {
    if field.attrs.iter().any(docs::is_doc) {
        return TokenStream::new();
    }
    let text = format!("The {what} `{}` of [`{component}`].", field.name);
    quote!(#[doc = #text])
}

/// Implements the trait that `run` needs.
fn software(component: &Component, recipe: &Recipe, builder: &Builder<'_>, errors: &mut Errors) -> TokenStream {
    let ident = &component.ident;
    let name = builder.name();
    let kind = format!("::{ident}");
    let wired = builder.wired_traits();
    let (generics, arguments) = builder.wired_generics();
    let declaration = declaration(component, recipe, errors);
    let outputs = component.outputs().enumerate().map(|(index, field)| {
        let name = &field.ident;
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        quote!(#name: ::wattle::author::Output::of(component, #index))
    });
    // The compiler reports this at the component's name, not at the attribute.
    let header = quote_spanned!(ident.span()=> impl #generics ::wattle::author::Software for #name #arguments);
    quote! {
        #[doc(hidden)]
        const _: () = {
            #wired

            #header {
                type Handle = #ident;
                const COMPONENT_TYPE: &'static str = ::core::concat!(::core::module_path!(), #kind);

                fn declaration() -> ::wattle::model::Declaration {
                    #declaration
                }

                fn into_inputs(self) -> ::wattle::author::Inputs {
                    self.inputs
                }

                fn handle(component: ::wattle::author::Component) -> #ident {
                    #ident { component, #(#outputs,)* }
                }
            }
        };
    }
}

/// The component type as data.
fn declaration(component: &Component, recipe: &Recipe, errors: &mut Errors) -> TokenStream {
    let ident = &component.ident;
    let (name, doc, at) = (ident.to_string(), docs::text(&component.attrs), source::expand(ident.span()));
    let (tool, entry) = (recipe.tool(), &recipe.entry);
    let files = recipe.files.iter().map(Embedded::expand);
    let teardown = optional(recipe.teardown.as_ref().map(|teardown| quote!(::wattle::model::Name::from(#teardown))));
    let deadline = optional(component.keys.deadline);
    let wait = optional(component.keys.wait);
    let bandwidth = bandwidth::expand(component.keys.bandwidth.as_ref().map(|(bandwidth, _)| *bandwidth));
    let listens = listen::expand(component);
    let inputs: Vec<TokenStream> = component.inputs().map(|field| input(field, recipe, errors)).collect();
    let outputs = component.outputs().map(|field| output(field, recipe));
    quote! {
        ::wattle::model::Declaration {
            name: ::wattle::model::Name::from(#name),
            doc: ::std::string::String::from(#doc),
            recipe: ::wattle::model::Recipe {
                tool: #tool,
                entry: ::wattle::model::Name::from(#entry),
                teardown: #teardown,
                files: ::std::vec![#(#files),*],
            },
            inputs: ::core::iter::FromIterator::from_iter([#(#inputs,)*]),
            outputs: ::core::iter::FromIterator::from_iter([#(#outputs,)*]),
            listens: #listens,
            deadline: #deadline,
            wait: #wait,
            bandwidth: #bandwidth,
            at: #at,
        }
    }
}

fn optional(value: Option<impl ToTokens>) -> TokenStream {
    if let Some(value) = value {
        quote!(::core::option::Option::Some(#value))
    } else {
        quote!(::core::option::Option::None)
    }
}

fn input(field: &Field, recipe: &Recipe, errors: &mut Errors) -> TokenStream {
    let (name, required, common) = (&field.name, field.is_required(), common(field, recipe));
    let default = if let Role::Input { default: Some(default), .. } = &field.role {
        let value = constant::expand(field.value_type(), default, errors);
        quote!(::core::option::Option::Some(#value))
    } else {
        quote!(::core::option::Option::None)
    };
    quote! {
        (::wattle::model::Name::from(#name), ::wattle::model::Input { required: #required, default: #default, #common })
    }
}

fn output(field: &Field, recipe: &Recipe) -> TokenStream {
    let (name, common) = (&field.name, common(field, recipe));
    let (said, dynamic, early) = if let Role::Output { bandwidth, dynamic, early } = field.role {
        (bandwidth, dynamic, early)
    } else {
        (None, false, false)
    };
    let ty = field.value_type();
    let bandwidth = match said {
        None => quote_spanned!(ty.span()=> <#ty as ::wattle::author::PortType>::BANDWIDTH),
        said => bandwidth::expand(said),
    };
    quote! {
        (
            ::wattle::model::Name::from(#name),
            ::wattle::model::OutputDeclaration {
                bandwidth: #bandwidth,
                dynamic: #dynamic,
                early: #early,
                #common
            },
        )
    }
}

/// The common part of inputs and outputs.
fn common(field: &Field, recipe: &Recipe) -> TokenStream {
    let ty = field.value_type();
    let doc = docs::text(&field.attrs);
    let path = recipe.path(field);
    let at = source::expand(field.ident.span());
    let port_type = quote_spanned!(ty.span()=> <#ty as ::wattle::author::PortType>::port_type());
    quote! {
        ty: #port_type,
        doc: ::std::string::String::from(#doc),
        path: ::std::vec![#(::wattle::model::Name::from(#path)),*],
        at: #at,
    }
}
