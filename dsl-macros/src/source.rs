//! The author's place of a token, as an expression.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The `Source` of `span`: from the compiler's own macros, as for a call that is `#[track_caller]`.
pub(crate) fn expand(span: Span) -> TokenStream {
    quote_spanned!(span=> ::wattle::model::Source::new(::core::file!(), ::core::line!(), ::core::column!()))
}
