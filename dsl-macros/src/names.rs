//! Valid names.

use syn::Ident;
use syn::ext::IdentExt;

/// The identifier without its raw prefix: `type` for `r#type`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// Why `name` cannot name an entry of the data space; `None` if it can.
pub(crate) fn refuse(name: &str) -> Option<&'static str> {
    let mut letters = name.chars();
    if !letters.next().is_some_and(|first| first.is_ascii_alphabetic()) {
        Some("it must start with a letter")
    } else if !letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')) {
        Some("it may contain only letters, digits, `_` and `-`")
    } else {
        None
    }
}

/// `OwnerPassword` for `owner_password`.
pub(crate) fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split(['_', '-']).map(capital).collect()
}
