//! The keys of an attribute: `recipe = "...", dynamic`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Token};
use wattle_words::names::{list, meant};

use crate::errors::{Errors, error};
use crate::{docs, names};

/// The keys that one attribute may contain, for its messages.
pub(crate) struct Known {
    /// As the author writes it: `#[component(...)]`.
    pub(crate) attribute: &'static str,
    /// Its keys.
    pub(crate) keys: &'static [&'static str],
}

/// The keys of one attribute.
pub(crate) struct Keys {
    known: &'static Known,
    entries: Vec<Entry>,
}

struct Entry {
    key: Ident,
    value: Option<Expr>,
}

impl Keys {
    /// No keys.
    pub(crate) fn none(known: &'static Known) -> Self {
        Self { known, entries: Vec::new() }
    }

    /// The keys in `#[attribute(...)]`; none for `#[attribute]`.
    pub(crate) fn of(attr: &Attribute, known: &'static Known, errors: &mut Errors) -> Self {
        match &attr.meta {
            Meta::Path(_) => Self::none(known),
            Meta::List(list) => Self::parse(list.tokens.clone(), known, errors),
            Meta::NameValue(meta) => {
                errors.push(meta, format!("`{}` takes its keys in parentheses", known.attribute), known.help());
                Self::none(known)
            }
        }
    }

    /// The keys in `tokens`, the content of the parentheses.
    pub(crate) fn parse(tokens: TokenStream, known: &'static Known, errors: &mut Errors) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let entry = entry(input, known)?;
                if !known.keys.iter().any(|key| entry.key == key) {
                    errors.merge(known.unknown(&entry.key));
                } else if entries.iter().any(|other| other.key == entry.key) {
                    let message = format!("`{}` appears twice in `{}`", entry.key, known.attribute);
                    errors.push(&entry.key, message, "keep one of the two");
                } else {
                    entries.push(entry);
                }
                if !input.is_empty() {
                    comma(input, known)?;
                }
            }
            Ok(())
        };
        let parsed = parser.parse2(tokens);
        errors.keep(parsed);
        Self { known, entries }
    }

    fn take(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
    }

    /// The value of `key`, whatever it is.
    pub(crate) fn value(&mut self, key: &str, example: &str, errors: &mut Errors) -> Option<Expr> {
        let entry = self.take(key)?;
        if entry.value.is_none() {
            let message = format!("`{key}` of `{}` has no value", self.known.attribute);
            errors.push(&entry.key, message, format_args!("write `{key} = {example}`"));
        }
        entry.value
    }

    /// The value of `key`, a string.
    pub(crate) fn text(&mut self, key: &str, example: &str, errors: &mut Errors) -> Option<LitStr> {
        let value = self.value(key, example, errors)?;
        let text = string(&value);
        if text.is_none() {
            let message = format!("`{key}` of `{}` must be a string", self.known.attribute);
            errors.push(value, message, format_args!("write `{key} = {example}`"));
        }
        text
    }

    /// The value of `key`, a list of strings.
    pub(crate) fn texts(&mut self, key: &str, example: &str, errors: &mut Errors) -> Vec<LitStr> {
        let Some(value) = self.value(key, example, errors) else { return Vec::new() };
        let items: Option<Vec<LitStr>> = match &value {
            Expr::Array(array) => array.elems.iter().map(string).collect(),
            _ => None,
        };
        items.unwrap_or_else(|| {
            let message = format!("`{key}` of `{}` must be a list of strings", self.known.attribute);
            errors.push(value, message, format_args!("write `{key} = {example}`"));
            Vec::new()
        })
    }

    /// The value of `key`, a string or a list of strings; its place, if it has no value.
    pub(crate) fn words(&mut self, key: &str, example: &str, errors: &mut Errors) -> Option<Result<Vec<LitStr>, Span>> {
        let entry = self.take(key)?;
        let Some(value) = entry.value else { return Some(Err(entry.key.span())) };
        let words: Option<Vec<LitStr>> = match &value {
            Expr::Array(array) => array.elems.iter().map(string).collect(),
            value => string(value).map(|word| vec![word]),
        };
        if words.is_none() {
            let message = format!("`{key}` of `{}` must be a string, or a list of strings", self.known.attribute);
            errors.push(value, message, format_args!("write `{key} = {example}`"));
        }
        words.map(Ok)
    }

    /// Whether `key` is present; its place, for messages.
    pub(crate) fn flag(&mut self, key: &str, errors: &mut Errors) -> Option<Span> {
        let entry = self.take(key)?;
        if let Some(value) = entry.value {
            let message = format!("`{key}` of `{}` takes no value", self.known.attribute);
            errors.push(value, message, format_args!("write `{key}` alone, or remove it"));
        }
        Some(entry.key.span())
    }
}

impl Known {
    fn help(&self) -> String {
        match self.keys {
            [] => format!("`{}` takes no keys", self.attribute),
            keys => format!("`{}` takes {}", self.attribute, list(keys.iter().copied(), "and")),
        }
    }

    fn unknown(&self, key: &Ident) -> syn::Error {
        let name = names::plain(key);
        let message = format!("`{name}` is not a key of `{}`", self.attribute);
        error(key, message, meant(&name, self.keys.iter().copied()).unwrap_or_else(|| self.help()))
    }
}

fn entry(input: ParseStream<'_>, known: &Known) -> syn::Result<Entry> {
    if !input.peek(Ident::peek_any) {
        let found = input.parse::<TokenStream>().unwrap_or_default();
        return Err(error(
            &found,
            format_args!("`{}` is not a key of `{}`", docs::source(&found), known.attribute),
            known.help(),
        ));
    }
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        let equals: Token![=] = input.parse()?;
        if input.is_empty() || input.peek(Token![,]) {
            let message = format!("`{key}` of `{}` has no value", known.attribute);
            return Err(error(quote!(#key #equals), message, format_args!("write a value after the `=`")));
        }
        Some(input.parse()?)
    } else {
        None
    };
    Ok(Entry { key, value })
}

fn comma(input: ParseStream<'_>, known: &Known) -> syn::Result<()> {
    if input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        return Ok(());
    }
    let found = input.parse::<TokenStream>().unwrap_or_default();
    let first: TokenStream = found.into_iter().take(1).collect();
    let message = format!("a comma is missing before `{first}` in `{}`", known.attribute);
    Err(error(first, message, "keys are separated by commas, and a value follows its key with `=`"))
}

/// The string literal, if `expr` is one.
pub(crate) fn string(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        Expr::Group(group) => string(&group.expr),
        _ => None,
    }
}
