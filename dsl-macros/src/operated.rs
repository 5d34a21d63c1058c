//! Other operations on values in a blueprint: `p.count as u8`, `assert!(p.tls.is(true))`, `assert_eq!(p.count, 3)`. Each
//! goes through a function that explains why it is impossible for a value that is not known yet.
//!
//! Only fields are treated like this in casts and comparisons: the compiler knows their types there. The value that an `if
//! let` destructures is left alone: the type of a method's result may follow from the pattern, and a field would be moved.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::decided::{is_punct, is_word, mark, operand};

/// The target types of casts.
const NUMBERS: [&str; 14] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];

/// An operand wrapped so that its `method` is called.
pub(crate) fn asked(method: &str, operand: &[TokenTree]) -> TokenStream {
    let span = operand.first().map_or_else(Span::call_site, TokenTree::span);
    let method = Ident::new(method, named(operand));
    let operand = operand.iter().cloned();
    quote_spanned!(span=> ::wattle::author::Operand(#(#operand)*).#method())
}

/// The number of tokens from `at` on, if they are a field that is cast to a number.
pub(crate) fn cast(tokens: &[TokenTree], at: usize) -> usize {
    let goes_on = |before: &TokenTree| ['.', ':', '*', '&', '-', '!'].iter().any(|sign| is_punct(before, *sign));
    if at.checked_sub(1).is_some_and(|before| goes_on(&tokens[before])) {
        return 0;
    }
    let length = operand(&tokens[at..]);
    let is_cast = tokens.get(at + length).is_some_and(|token| is_word(token, "as"))
        && matches!(tokens.get(at + length + 1), Some(TokenTree::Ident(ty)) if NUMBERS.iter().any(|number| ty == number));
    if is_cast && is_field(&tokens[at..at + length]) { length } else { 0 }
}

/// Whether an operand is a field of a variable.
fn is_field(operand: &[TokenTree]) -> bool {
    matches!(operand, [of, .., dot, TokenTree::Ident(_)] if is_variable(of) && is_punct(dot, '.'))
}

/// The span of the field or method at the end of an operand, where the compiler points.
fn named(operand: &[TokenTree]) -> Span {
    let name = operand.iter().rfind(|token| matches!(token, TokenTree::Ident(_)));
    name.map_or_else(Span::call_site, TokenTree::span)
}

/// Whether a name does not look like that of a constant or a type.
fn is_variable(name: &TokenTree) -> bool {
    matches!(name, TokenTree::Ident(name) if !name.to_string().starts_with(char::is_uppercase))
}

/// Whether a macro's name is that of an assertion.
pub(crate) fn is_assertion(name: &TokenTree) -> bool {
    compares(name) || is_word(name, "assert") || is_word(name, "debug_assert")
}

/// Whether it compares two values.
pub(crate) fn compares(name: &TokenTree) -> bool {
    ["assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"].iter().any(|known| is_word(name, known))
}

/// The arguments of an assertion, with its condition marked.
pub(crate) fn asserted(arguments: TokenStream, compares: bool) -> TokenStream {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let mut all = TokenStream::new();
    for (number, argument) in tokens.split_inclusive(|token| is_punct(token, ',')).enumerate() {
        let (comma, value) = match argument.split_last() {
            Some((comma, value)) if is_punct(comma, ',') => (Some(comma.clone()), value),
            _ => (None, argument),
        };
        let marked: Vec<TokenTree> = mark(value.iter().cloned().collect()).into_iter().collect();
        let is_whole = !value.is_empty() && operand(value) == value.len() && is_variable(&value[0]);
        all.extend(match (compares, number) {
            (true, 0 | 1) if is_whole && is_field(value) => compared(&marked),
            (false, 0) if is_whole => asked("asserted", &marked),
            _ => marked.into_iter().collect(),
        });
        all.extend(comma);
    }
    all
}

/// A compared field, which is not moved.
fn compared(field: &[TokenTree]) -> TokenStream {
    let span = field.first().map_or_else(Span::call_site, TokenTree::span);
    let method = Ident::new("compared", named(field));
    let field = field.iter();
    quote_spanned!(span=> *::wattle::author::Operand(&#(#field)*).#method())
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
        assert!(becomes("f(p.count as u8, x)", "f(Operand(p.count).cast() as u8, x)"));
        assert!(becomes(
            "let n = 2 + app.listens.port as usize;",
            "let n = 2 + Operand(app.listens.port).cast() as usize;"
        ));
    }

    #[test]
    fn assertions_are_marked() {
        assert!(becomes("assert!(p.tls.is(true));", "assert!(Operand(p.tls.is(true)).asserted());"));
        assert!(becomes("assert!(ready, \"not {}\", x);", "assert!(Operand(ready).asserted(), \"not {}\", x);"));
        assert!(becomes("assert_eq!(p.count, 3);", "assert_eq!(*Operand(&p.count).compared(), 3);"));
        assert!(becomes("assert_ne!(3, p.n, \"{}\", p.x)", "assert_ne!(3, *Operand(&p.n).compared(), \"{}\", p.x)"));
        assert!(becomes(
            "assert_eq!(a.b, c[d.e as u8].f,);",
            "assert_eq!(*Operand(&a.b).compared(), *Operand(&c[Operand(d.e).cast() as u8].f).compared(),);"
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
            "if let Some(x) = y.z() {}",
            "assert!(a == b)",
            "assert!(!a)",
            "assert_eq!(LIMIT, Level::Low)",
            "assert_eq!(&a.b, a.b + 1)",
            "assert_eq!(f(a, b), c.d(e, f))",
            "assert_eq!(a, b)",
            "assert!(x.is::<A, B>(y))",
            "format!(\"{}\", p.x)",
        ] {
            assert!(becomes(text, text), "{text}: {}", marked(text));
        }
    }
}
