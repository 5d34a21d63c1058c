//! The bandwidth expected between servers: `bandwidth = "200 Mbit/s"`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;
use wattle_words::Bandwidth;

use crate::errors::Errors;
use crate::keys::Keys;

/// The value of `bandwidth`, with its place.
pub(crate) fn of(keys: &mut Keys, errors: &mut Errors) -> Option<(Bandwidth, LitStr)> {
    let text = keys.text("bandwidth", "\"200 Mbit/s\"", errors)?;
    let wrong = |help| errors.push(&text, format!("`{}` is not a bandwidth", text.value()), help);
    let bandwidth = Bandwidth::read(&text.value()).map_err(wrong).ok()?;
    Some((bandwidth, text))
}

/// An optional bandwidth, in the model's form.
pub(crate) fn expand(bandwidth: Option<Bandwidth>) -> TokenStream {
    let Some(mbit) = bandwidth.map(Bandwidth::mbit) else { return quote!(::core::option::Option::None) };
    quote!(::core::option::Option::Some(::wattle::model::Bandwidth::of_mbit(#mbit)))
}
