//! Documentation comments, and types in the form in which they are written.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Type};

/// The text of documentation comments, with each paragraph on one line.
pub(crate) fn text(attrs: &[Attribute]) -> String {
    let mut paragraphs = vec![String::new()];
    for line in attrs.iter().filter_map(line).flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
        let line = line.trim();
        match (line.is_empty(), paragraphs.last_mut()) {
            (true, _) => paragraphs.push(String::new()),
            (false, Some(paragraph)) => {
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line);
            }
            (false, None) => {}
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n")
}

/// The first sentence, for a message.
pub(crate) fn summary(attrs: &[Attribute]) -> String {
    let text = text(attrs);
    let first = text.lines().next().unwrap_or_default();
    first.split_once(". ").map_or(first, |(sentence, _)| sentence).trim_end_matches('.').to_owned()
}

pub(crate) fn is_doc(attr: &Attribute) -> bool {
    attr.path().is_ident("doc")
}

/// The text of one `#[doc = "..."]`.
fn line(attr: &Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(meta) if is_doc(attr) => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value() + "\n"),
            _ => None,
        },
        _ => None,
    }
}

/// A type as the author would write it: `Vec<String>`, not `Vec < String >`.
pub(crate) fn type_name(ty: &Type) -> String {
    source(ty)
}

/// Tokens without the spaces that printing adds everywhere.
pub(crate) fn source(tokens: impl ToTokens) -> String {
    let mut text = tokens.into_token_stream().to_string();
    for (spaced, plain) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" (", "("),
        ("& ", "&"),
        (" . ", "."),
        (" !", "!"),
    ] {
        text = text.replace(spaced, plain);
    }
    text
}
