//! The builder: one type parameter for each required input, one setter for each input.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Ident;

use crate::docs;

use super::ast::{Component, Field, Role};
use super::expand::fallback_doc;

/// The builder of one component.
pub(super) struct Builder<'a> {
    component: &'a Component,
    name: Ident,
    required: Vec<Required<'a>>,
}

/// A required input: its type parameter is `Missing`, then `Wired`.
struct Required<'a> {
    field: &'a Field,
    state: Ident,
}

impl<'a> Builder<'a> {
    pub(super) fn of(component: &'a Component) -> Self {
        let mut taken = HashSet::new();
        component.fields.iter().for_each(|field| collect(field.ty.to_token_stream(), &mut taken));
        taken.extend([component.ident.to_string(), component.builder().to_string(), "Self".into()]);
        let required = component.inputs().filter(|field| field.is_required()).map(|field| {
            let mut name = field.camel();
            // It would shadow one of the author's types with the same name as the input.
            while !taken.insert(name.clone()) {
                name.push_str("Input");
            }
            Required { field, state: Ident::new(&name, field.ident.span()) }
        });
        Self { component, name: component.builder(), required: required.collect() }
    }

    pub(super) fn name(&self) -> &Ident {
        &self.name
    }

    /// The struct and its setters.
    pub(super) fn expand(&self) -> TokenStream {
        let Self { name, component, .. } = self;
        let Component { vis, ident, .. } = component;
        let states: Vec<&Ident> = self.required.iter().map(|required| &required.state).collect();
        let missing = states.iter().map(|_| quote!(::wattle::author::Missing));
        let (start, inputs) =
            (format!("The inputs of a [`{ident}`]: start with `{ident}::new()`, end with `run`."), self.summary());
        let new = format!("Starts a `{ident}`: wire its inputs, then let a server `run` it.");
        let setters = component.inputs().map(|field| self.setter(field));
        let kind = ident.to_string();
        quote! {
            #[doc = #start]
            #[doc = #inputs]
            #[must_use = "a component exists only once a server runs it: `t.on(server).run(name, component)`"]
            #vis struct #name<#(#states = ::wattle::author::Missing),*> {
                inputs: ::wattle::author::Inputs,
                state: ::core::marker::PhantomData<fn() -> (#(#states,)*)>,
            }

            #[allow(dead_code, clippy::new_ret_no_self)]
            impl #ident {
                #[doc = #new]
                #[track_caller]
                pub fn new() -> #name<#(#missing),*> {
                    #name { inputs: ::wattle::author::Inputs::new(#kind), state: ::core::marker::PhantomData }
                }
            }

            #[allow(dead_code, unreachable_pub)]
            impl<#(#states),*> #name<#(#states),*> {
                #(#setters)*
            }
        }
    }

    fn setter(&self, field: &Field) -> TokenStream {
        let Field { ident, name, attrs, .. } = field;
        let builder = &self.name;
        let ty = field.value_type();
        let fallback = fallback_doc(field, "input", &self.component.ident);
        let about = about(field);
        let wired = quote!(::wattle::author::Wired);
        let states = self.required.iter().map(|required| {
            let state = &required.state;
            if required.field.ident == *ident { wired.clone() } else { state.to_token_stream() }
        });
        quote_spanned! {ident.span()=>
            #(#attrs)*
            #fallback
            #[doc = ""]
            #[doc = #about]
            #[track_caller]
            pub fn #ident(mut self, value: impl ::wattle::author::IntoInput<#ty>) -> #builder<#(#states),*> {
                ::wattle::author::Inputs::wire::<#ty>(&mut self.inputs, #name, value);
                #builder { inputs: self.inputs, state: ::core::marker::PhantomData }
            }
        }
    }

    /// Declares, for each required input, a trait that only a wired one implements.
    pub(super) fn wired_traits(&self) -> TokenStream {
        let component = &self.component.ident;
        let traits = self.required.iter().map(|required| {
            let (field, wired) = (required.field, self.wired_trait(required));
            let name = &field.name;
            let message = format!("the input `{name}` of the component `{component}` is not wired");
            let label = format!("`{name}` is missing");
            let note = match field.summary() {
                summary if summary.is_empty() => {
                    format!("wire it with `.{name}(...)`, which takes `{}`", docs::type_name(&field.ty))
                }
                summary => format!("wire it with `.{name}(...)`: {summary}"),
            };
            // Braces would be mistaken for placeholders.
            let [message, label, note] = [message, label, note].map(|text| text.replace('{', "{{").replace('}', "}}"));
            // The compiler shows the place of the implementation: the input's name.
            let implemented = quote_spanned!(field.ident.span()=> impl #wired for ::wattle::author::Wired {});
            quote! {
                #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
                pub trait #wired {}
                #implemented
            }
        });
        traits.collect()
    }

    fn wired_trait(&self, required: &Required<'_>) -> Ident {
        format_ident!("{}{}Wired", self.component.ident, required.state)
    }

    /// Type parameters that must all be wired, and the arguments for them.
    pub(super) fn wired_generics(&self) -> (TokenStream, TokenStream) {
        let states: Vec<&Ident> = self.required.iter().map(|required| &required.state).collect();
        let wired = self.required.iter().map(|required| self.wired_trait(required));
        let at = self.component.ident.span();
        (quote_spanned!(at=> <#(#states: #wired),*>), quote_spanned!(at=> <#(#states),*>))
    }

    fn summary(&self) -> String {
        let lines = self.component.inputs().map(|field| format!("- `{}`: {}", field.name, about(field)));
        lines.fold(String::from("\n"), |text, line| text + &line + "\n")
    }
}

/// The type of an input, and its value if it is not wired.
fn about(field: &Field) -> String {
    let ty = docs::type_name(field.value_type());
    match &field.role {
        Role::Input { default: Some(default), .. } => format!("`{ty}`, by default `{}`.", docs::source(default)),
        _ if field.is_optional() => format!("`{ty}`, may be absent."),
        _ => format!("`{ty}`, required."),
    }
}

/// Every identifier in `tokens`.
pub(super) fn collect(tokens: TokenStream, into: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(ident.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
