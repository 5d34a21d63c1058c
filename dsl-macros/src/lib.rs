//! The macros of wattle. Authors use them through the crate `wattle`, which re-exports them.

mod blueprint;
mod component;
mod constant;
mod docs;
mod duration;
mod errors;
mod keys;
mod names;
mod parameters;
mod port_type;
mod source;
mod text;

use proc_macro::TokenStream;

/// Declares a component.
#[proc_macro_attribute]
pub fn component(keys: TokenStream, item: TokenStream) -> TokenStream {
    component::expand(keys.into(), item.into()).into()
}

/// Declares what is chosen at deployment.
#[proc_macro_derive(Parameters, attributes(parameter))]
pub fn parameters(item: TokenStream) -> TokenStream {
    parameters::expand(item.into()).into()
}

/// Makes a struct a type of inputs and outputs.
#[proc_macro_derive(PortType)]
pub fn port_type(item: TokenStream) -> TokenStream {
    port_type::expand(item.into()).into()
}

/// Makes a function a blueprint.
#[proc_macro_attribute]
pub fn blueprint(keys: TokenStream, item: TokenStream) -> TokenStream {
    blueprint::expand(keys.into(), item.into()).into()
}

/// Text around values that are not known yet.
#[proc_macro]
pub fn text(tokens: TokenStream) -> TokenStream {
    text::expand(tokens.into()).into()
}
