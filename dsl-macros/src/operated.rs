//! What else stands around values in a blueprint: `p.count as u8`, `assert!(p.tls.is(true))`, `assert_eq!(p.count, 3)`,
//! `if let Some(most) = p.count.at_most(3)`. Each operand goes through what says why it will not do if it is not known yet.
//!
//! A field that an `if let` takes apart is left alone: passed through a function it would be moved.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::decided::{call, is_block, is_punct, is_word, mark, operand};

/// Types that are cast to.
const NUMBERS: [&str; 14] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];
/// Methods whose result is of a type that only the pattern tells.
const OPEN: [&str; 6] = ["collect", "default", "into", "parse", "product", "sum"];

/// An operand within the struct `wrapper`, which the compiler asks what becomes of it.
pub(crate) fn wrapped(wrapper: &str, operand: &[TokenTree]) -> TokenStream {
    let span = operand.first().map_or_else(Span::call_site, TokenTree::span);
    let wrapper = Ident::new(wrapper, span);
    let operand = operand.iter().cloned();
    quote_spanned!(span=> ::wattle::author::#wrapper(#(#operand)*).operand())
}

/// How many tokens from `at` on are a field that is cast to a number: of a variable, whose type is known there.
pub(crate) fn cast(tokens: &[TokenTree], at: usize) -> usize {
    let goes_on = |before: &TokenTree| ['.', ':', '*', '&', '-', '!'].iter().any(|sign| is_punct(before, *sign));
    let is_variable = matches!(&tokens[at], TokenTree::Ident(name) if name.to_string().starts_with(char::is_lowercase));
    if !is_variable || at.checked_sub(1).is_some_and(|before| goes_on(&tokens[before])) {
        return 0;
    }
    let length = operand(&tokens[at..]);
    let is_field = length > 2
        && matches!(&tokens[at + length - 1], TokenTree::Ident(_))
        && is_punct(&tokens[at + length - 2], '.');
    let is_cast = tokens.get(at + length).is_some_and(|token| is_word(token, "as"))
        && matches!(tokens.get(at + length + 1), Some(TokenTree::Ident(ty)) if NUMBERS.iter().any(|number| ty == number));
    if is_field && is_cast { length } else { 0 }
}

/// Of what follows `if` or `while`: how many tokens come before the result of a method that is taken apart as an `Option` or a `Result`,
/// and how many it has.
pub(crate) fn opened(tokens: &[TokenTree]) -> Option<(usize, usize)> {
    let variants = ["Some", "None", "Ok", "Err"];
    let is_variant = |token: &TokenTree| variants.iter().any(|variant| is_word(token, variant));
    if !is_word(tokens.first()?, "let") || !is_variant(tokens.get(1)?) {
        return None;
    }
    let pattern = if matches!(tokens.get(2)?, TokenTree::Group(_)) { 3 } else { 2 };
    let is_assigned = is_punct(tokens.get(pattern)?, '=') && !is_punct(tokens.get(pattern + 1)?, '=');
    let value = &tokens[pattern + 1..];
    let length = operand(value);
    let is_method = length > 3
        && matches!(&value[length - 1], TokenTree::Group(_))
        && matches!(&value[length - 2], TokenTree::Ident(name) if !OPEN.iter().any(|open| name == open))
        && is_punct(&value[length - 3], '.');
    (is_assigned && is_method && value.get(length).is_some_and(is_block)).then_some((pattern + 1, length))
}

/// Whether a macro's name is that of an assertion.
pub(crate) fn is_assertion(name: &TokenTree) -> bool {
    compares(name) || is_word(name, "assert") || is_word(name, "debug_assert")
}

/// Whether it compares two values.
pub(crate) fn compares(name: &TokenTree) -> bool {
    ["assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"].iter().any(|known| is_word(name, known))
}

/// The arguments of an assertion, with what it asserts made to speak.
pub(crate) fn asserted(arguments: TokenStream, compares: bool) -> TokenStream {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let mut all = TokenStream::new();
    for (at, argument) in tokens.split(|token| is_punct(token, ',')).enumerate() {
        if at > 0 {
            all.extend([tokens.iter().find(|token| is_punct(token, ',')).cloned()].into_iter().flatten());
        }
        let is_operand = !argument.is_empty() && operand(argument) == argument.len() && !is_constant(&argument[0]);
        let argument: Vec<TokenTree> = mark(argument.iter().cloned().collect()).into_iter().collect();
        let span = argument.first().map_or_else(Span::call_site, TokenTree::span);
        let tokens = argument.iter();
        all.extend(match (compares, at) {
            (true, 0) if is_operand => quote_spanned!(span=> *::wattle::author::Left(&(#(#tokens)*)).operand()),
            (true, 1) if is_operand => quote_spanned!(span=> *::wattle::author::Right(&(#(#tokens)*)).operand()),
            (false, 0) if is_operand => call("decided", &argument),
            _ => argument.iter().cloned().collect(),
        });
    }
    all
}

/// Whether a name is written as that of a constant or a type.
fn is_constant(name: &TokenTree) -> bool {
    matches!(name, TokenTree::Ident(name) if name.to_string().starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use crate::decided::mark;

    fn marked(text: &str) -> String {
        mark(text.parse().expect("tokens")).to_string().replace(":: wattle :: author :: ", "")
    }

    fn becomes(text: &str, other: &str) -> bool {
        marked(text) == other.parse::<proc_macro2::TokenStream>().expect("tokens").to_string()
    }

    #[test]
    fn casts_are_marked() {
        assert!(becomes("f(p.count as u8, x)", "f(Cast(p.count).operand() as u8, x)"));
        assert!(becomes(
            "let n = 2 + app.listens.port as usize;",
            "let n = 2 + Cast(app.listens.port).operand() as usize;"
        ));
    }

    #[test]
    fn what_is_taken_apart_is_marked() {
        assert!(becomes(
            "if let Some(x) = p.count.at_most(3) {}",
            "if let Some(x) = Opened(p.count.at_most(3)).operand() {}"
        ));
        assert!(becomes("while let None = f.x() {}", "while let None = Opened(f.x()).operand() {}"));
    }

    #[test]
    fn assertions_are_marked() {
        assert!(becomes("assert!(p.tls.is(true));", "assert!(decided(p.tls.is(true)));"));
        assert!(becomes("assert!(ready, \"not {}\", x);", "assert!(decided(ready), \"not {}\", x);"));
        assert!(becomes("assert_eq!(p.count, 3);", "assert_eq!(*Left(&(p.count)).operand(), 3);"));
        assert!(becomes("assert_ne!(3, n, \"{}\", p.x)", "assert_ne!(3, *Right(&(n)).operand(), \"{}\", p.x)"));
        assert!(becomes(
            "assert_eq!(f(a, b), c.d(e, f),);",
            "assert_eq!(*Left(&(f(a, b))).operand(), *Right(&(c.d(e, f))).operand(),);"
        ));
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "n as u8",
            "*x.y as u8",
            "x.y() as u8",
            "Level::Low.y as u8",
            "[0; SIZES.x as usize]",
            "x.y as Kind",
            "x.0 as u8",
            "if let Some(x) = y.z {}",
            "if let Some(x) = y.collect() {}",
            "if let Some(x) = f() {}",
            "if let Some(x) = y.z() && on {}",
            "if let Level::Low = y.z() {}",
            "assert!(a == b)",
            "assert!(!a)",
            "assert_eq!(LIMIT, Level::Low)",
            "assert_eq!(&a, a + 1)",
            "format!(\"{}\", p.x)",
        ] {
            assert!(becomes(text, text), "{text}: {}", marked(text));
        }
    }
}
