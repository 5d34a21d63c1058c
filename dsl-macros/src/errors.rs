//! Errors of one expansion, all reported at once.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The errors so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error at `tokens`, and how to fix it.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display, help: impl Display) {
        self.merge(error(tokens, message, help));
    }

    /// Adds an error from elsewhere.
    pub(crate) fn merge(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Returns the value, or records the error.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.merge(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The compile errors; empty if there are none.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(|errors| errors.to_compile_error()).unwrap_or_default()
    }
}

/// An error at `tokens` with help after it, separate from the message.
pub(crate) fn error(tokens: impl ToTokens, message: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new_spanned(tokens, with_help(message, help))
}

/// The text of an error; without a help line if there is no help.
pub(crate) fn with_help(message: impl Display, help: impl Display) -> String {
    let help = help.to_string();
    if help.is_empty() { message.to_string() } else { format!("{message}\n\nhelp: {help}") }
}
