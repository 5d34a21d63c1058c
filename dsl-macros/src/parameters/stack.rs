//! The builder of a stack that receives parameters.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident};

use crate::docs;

use super::ast::Declared;

/// A parameter without a default: its type parameter is `Missing`, then `Wired`.
struct Required<'a> {
    declared: &'a Declared<'a>,
    state: Ident,
    /// A trait that only a set parameter implements.
    given: Ident,
}

/// A struct with a setter for each parameter. It is reachable only through the trait, so that it does not occupy a name in
/// the author's module.
pub(super) fn expand(item: &DeriveInput, declared: &[Declared<'_>]) -> TokenStream {
    let ident = &item.ident;
    let name = format_ident!("{ident}Stack");
    let required: Vec<Required<'_>> = declared
        .iter()
        .filter(|declared| declared.default.is_none())
        .enumerate()
        .map(|(n, declared)| Required {
            declared,
            state: format_ident!("{ident}State{n}"),
            given: format_ident!("{ident}Given{n}"),
        })
        .collect();
    let states: Vec<&Ident> = required.iter().map(|required| &required.state).collect();
    let given: Vec<&Ident> = required.iter().map(|required| &required.given).collect();
    let missing = states.iter().map(|_| quote!(::wattle::author::Missing));
    let setters = declared.iter().map(|declared| setter(&name, declared, &required));
    let traits = required.iter().map(given_trait);
    let state = format_ident!("{ident}StackState");
    let complete = {
        // Everything has the span of the struct's name: for code from a derive, the compiler would print many lines on how
        // to write it by hand.
        let at = |name: &Ident| Ident::new(&name.to_string(), ident.span());
        let (state, states): (_, Vec<_>) = (at(&state), states.iter().map(|name| at(name)).collect());
        let given = given.iter().map(|name| at(name));
        quote_spanned! {ident.span()=>
            impl<#(#states: #given),*> ::wattle::author::Complete for #state<#(#states),*> {}
        }
    };
    quote! {
        const _: () = {
            #[doc = "A stack with the parameters as its properties."]
            #[must_use = "a stack exists only once it is added: `t.add(name, template.stack())`"]
            pub struct #name<#(#states = ::wattle::author::Missing),*> {
                properties: ::wattle::author::Properties,
                state: ::core::marker::PhantomData<fn() -> (#(#states,)*)>,
            }

            #[allow(dead_code, unreachable_pub)]
            impl<#(#states),*> #name<#(#states),*> {
                #(#setters)*
            }

            #(#traits)*

            #[doc = "Which parameters are set."]
            pub struct #state<#(#states),*>(::core::marker::PhantomData<fn() -> (#(#states,)*)>);

            #complete

            impl<#(#states),*> ::wattle::author::Part for #name<#(#states),*> {
                type Outputs = ::wattle::author::Resource;
                type State = #state<#(#states),*>;

                fn add_to(
                    self,
                    t: &mut ::wattle::author::Topology,
                    name: &str,
                    at: ::wattle::model::Source,
                ) -> ::wattle::author::Resource {
                    t.add_resource(name, self.properties, at)
                }
            }

            impl<#(#states),*> ::wattle::hot::Member for #name<#(#states),*> {
                fn into_properties(self) -> ::wattle::author::Properties {
                    self.properties
                }
            }

            impl ::wattle::hot::Stacked for #ident {
                type Stack = #name<#(#missing),*>;

                fn stack(properties: ::wattle::author::Properties) -> Self::Stack {
                    #name { properties, state: ::core::marker::PhantomData }
                }
            }
        };
    }
}

fn setter(stack: &Ident, declared: &Declared<'_>, required: &[Required<'_>]) -> TokenStream {
    let Declared { ident, name, ty, description, .. } = declared;
    let wired = quote!(::wattle::author::Wired);
    let states = required.iter().map(|required| {
        let state = &required.state;
        if required.declared.ident == *ident { wired.clone() } else { quote!(#state) }
    });
    let about = format!("Sets the parameter `{name}`.");
    let value = quote_spanned!(ty.span()=> impl ::wattle::author::IntoProperty<#ty>);
    quote_spanned! {ident.span()=>
        #[doc = #description]
        #[doc = ""]
        #[doc = #about]
        #[track_caller]
        pub fn #ident(mut self, value: #value) -> #stack<#(#states),*> {
            ::wattle::author::Properties::set(
                &mut self.properties,
                #name,
                ::wattle::author::IntoProperty::<#ty>::into_property(value),
            );
            #stack { properties: self.properties, state: ::core::marker::PhantomData }
        }
    }
}

fn given_trait(required: &Required<'_>) -> TokenStream {
    let (given, Declared { ident, name, ty, .. }) = (&required.given, required.declared);
    let message = format!("the parameter `{name}` of the stack is not set");
    let label = format!("`{name}` is missing");
    let note = format!("set it with `.{ident}(...)`, which takes `{}`", docs::type_name(ty));
    // Braces would be mistaken for placeholders.
    let [message, label, note] = [message, label, note].map(|text| text.replace('{', "{{").replace('}', "}}"));
    // The compiler shows the place of the implementation: the parameter's name.
    let implemented = quote_spanned!(ident.span()=> impl #given for ::wattle::author::Wired {});
    quote! {
        #[doc = "Says that a parameter is set."]
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #given {}
        #implemented
    }
}
