//! The macros of wattle: an author uses them through the crate `wattle`, which re-exports them.
//!
//! What lives here: turning the author's code into calls of `wattle::author`, and every error that can be detected at
//! compile time. What must not: knowledge of the form of recipes, which belongs to `wattle-recipe`. No input makes a macro
//! panic; errors are collected, and after an error the macro still generates stubs of the items that it would have defined.

mod bandwidth;
mod blueprint;
mod component;
mod constant;
mod decided;
mod docs;
mod dropped;
mod editor;
mod errors;
mod keys;
mod names;
mod operated;
mod parameters;
mod port_type;
mod settings;
mod source;
mod text;

use proc_macro::TokenStream;

// The examples are tested in `tests/compile`, and so are not here as well.
#[cfg_attr(not(doctest), doc = include_str!("../docs/component.md"))]
#[proc_macro_attribute]
pub fn component(keys: TokenStream, item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, component::expand(keys.into(), item.clone())).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/parameters.md"))]
#[proc_macro_derive(Parameters, attributes(parameter))]
pub fn parameters(item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, parameters::expand(item.clone())).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/port_type.md"))]
#[proc_macro_derive(PortType, attributes(port_type))]
pub fn port_type(item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, port_type::expand(item.clone())).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/blueprint.md"))]
#[proc_macro_attribute]
pub fn blueprint(keys: TokenStream, item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, blueprint::expand(keys.into(), item.clone())).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/text.md"))]
#[proc_macro]
pub fn text(tokens: TokenStream) -> TokenStream {
    text::expand(tokens.into()).into()
}
