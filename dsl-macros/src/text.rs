//! `text!`: text around values that are not known yet.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitStr, Token};

use crate::docs;
use crate::errors::{Errors, error};

const EXAMPLE: &str = "write `text!(\"http://{}:{port}/\", host)`";

struct Input {
    format: LitStr,
    arguments: Vec<Argument>,
}

struct Argument {
    name: Option<Ident>,
    value: Expr,
    uses: usize,
}

/// One piece of the literal.
#[derive(Debug, PartialEq)]
enum Piece {
    Literal(String),
    /// The text between braces.
    Hole(String),
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Err(syn::Error::new(
                Span::call_site(),
                crate::errors::with_help("`text!` needs a string literal", EXAMPLE),
            ));
        }
        let first: Expr = input.parse()?;
        let Some(format) = crate::keys::string(&first) else {
            return Err(error(first, "the first argument of `text!` must be a string literal", EXAMPLE));
        };
        let mut arguments = Vec::new();
        while !input.is_empty() {
            if !input.peek(Token![,]) {
                let found = input.parse::<TokenStream>().unwrap_or_default();
                let first: TokenStream = found.into_iter().take(1).collect();
                let message = format!("a comma is missing before `{first}` in `text!`");
                return Err(error(first, message, EXAMPLE));
            }
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name = if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
                let name = input.parse()?;
                input.parse::<Token![=]>()?;
                Some(name)
            } else {
                None
            };
            arguments.push(Argument { name, value: input.parse()?, uses: 0 });
        }
        Ok(Self { format, arguments })
    }
}

pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let text = errors.keep(syn::parse2(tokens)).map(|input| build(input, &mut errors));
    match text {
        Some(text) if errors.is_empty() => text,
        _ => {
            let errors = errors.into_tokens();
            quote!({ #errors ::wattle::author::Text::new() })
        }
    }
}

fn build(mut input: Input, errors: &mut Errors) -> TokenStream {
    let at = input.format.clone();
    let pieces = match split(&input.format.value()) {
        Ok(pieces) => pieces,
        Err((message, help)) => {
            errors.push(&at, message, help);
            return TokenStream::new();
        }
    };
    let mut next = 0;
    // The argument, or otherwise the captured variable, of each piece.
    let mut chosen: Vec<Result<usize, Ident>> = Vec::new();
    for piece in &pieces {
        if let Piece::Hole(hole) = piece
            && let Some(choice) = choose(hole, &mut next, &mut input, errors)
        {
            if let Ok(index) = choice {
                input.arguments[index].uses += 1;
            }
            chosen.push(choice);
        }
    }
    // An argument may be unused because its placeholder was rejected.
    let all_placed = errors.is_empty();
    for argument in input.arguments.iter().filter(|argument| all_placed && argument.uses == 0) {
        let value = docs::source(&argument.value);
        errors.push(
            &argument.value,
            format!("`{value}` is never used in this text"),
            "add a `{}` where it belongs, or remove it",
        );
    }
    let mut chosen = chosen.into_iter();
    let bound = |index: usize| Ident::new(&format!("argument{index}"), Span::mixed_site());
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => quote!(.literal(#text)),
        Piece::Hole(_) => match chosen.next() {
            Some(Ok(index)) => {
                let Argument { value, uses, .. } = &input.arguments[index];
                let bound = bound(index);
                if *uses > 1 { quote!(.value(#bound)) } else { appended(value) }
            }
            Some(Err(captured)) => appended(&captured),
            None => TokenStream::new(),
        },
    });
    let parts: TokenStream = parts.collect();
    let bindings =
        input.arguments.iter().enumerate().filter(|(_, argument)| argument.uses > 1).map(|(index, argument)| {
            let (bound, value) = (bound(index), &argument.value);
            quote!(let #bound = &#value;)
        });
    let text = Ident::new("text", Span::mixed_site());
    quote!({
        #(#bindings)*
        #[allow(clippy::needless_borrow, clippy::needless_borrows_for_generic_args, clippy::borrow_deref_ref)]
        let #text = ::wattle::author::Text::new()#parts;
        #text
    })
}

/// Appends a value as `format!` would: borrowed, and with errors at the value itself.
fn appended(value: &impl ToTokens) -> TokenStream {
    quote_spanned!(value.span()=> .value(&#value))
}

/// The value of `{hole}`: an argument, or a variable in the scope of the macro.
fn choose(hole: &str, next: &mut usize, input: &mut Input, errors: &mut Errors) -> Option<Result<usize, Ident>> {
    let count = input.arguments.len();
    let has = match count {
        0 => "there are no arguments".to_owned(),
        1 => "there is one argument".to_owned(),
        _ => format!("there are {count} arguments"),
    };
    if hole.is_empty() {
        *next += 1;
        if *next > count {
            errors.push(
                &input.format,
                format!("`{{}}` number {next} has no argument: {has}"),
                "add an argument for each `{}`; write `{{}}` for the two braces themselves",
            );
            return None;
        }
        return Some(Ok(*next - 1));
    }
    if let Ok(index) = hole.parse::<usize>() {
        if index >= count {
            errors.push(&input.format, format!("`{{{index}}}` has no argument: {has}"), "the first argument is `{0}`");
            return None;
        }
        return Some(Ok(index));
    }
    if let Some((_, specification)) = hole.split_once(':') {
        let help = format!(
            "write `{{}}` instead of `{{{hole}}}`: `:{specification}` would need the value, which is not known yet"
        );
        errors.push(&input.format, "`text!` has no format specifications", help);
        return None;
    }
    let Ok(mut name) = syn::parse_str::<Ident>(hole) else {
        let help = "bind the value to a name first, or pass it as an argument: `text!(\"{}\", db.host)`";
        errors.push(&input.format, format!("`{{{hole}}}` is not a name"), help);
        return None;
    };
    let named = input.arguments.iter().position(|argument| argument.name.as_ref().is_some_and(|own| *own == name));
    name.set_span(input.format.span());
    Some(named.ok_or(name))
}

/// The pieces of a literal, with escaped braces resolved; or the error, and help.
fn split(text: &str) -> Result<Vec<Piece>, (String, String)> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '{' | '}' if letters.next_if(|(_, next)| *next == letter).is_some() => literal.push(letter),
            '{' => {
                let rest = &text[at + 1..];
                let Some(end) = rest.find(['{', '}']).filter(|end| rest[*end..].starts_with('}')) else {
                    return Err((
                        "a `{` in this text is never closed".into(),
                        "close it with `}`, or write `{{` for the brace itself".into(),
                    ));
                };
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Hole(rest[..end].trim().to_owned()));
                while letters.next_if(|(next, _)| *next <= at + 1 + end).is_some() {}
            }
            '}' => return Err(("a `}` in this text closes nothing".into(), "write `}}` for the brace itself".into())),
            _ => literal.push(letter),
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::{Piece, split};

    fn literal(text: &str) -> Piece {
        Piece::Literal(text.into())
    }

    fn hole(text: &str) -> Piece {
        Piece::Hole(text.into())
    }

    #[test]
    fn braces_make_holes_and_doubled_braces_stay() {
        let pieces = split("http://{}:{port}/{{x}}/{ 0 }é{:?}").expect("well formed");
        let expected = [
            literal("http://"),
            hole(""),
            literal(":"),
            hole("port"),
            literal("/{x}/"),
            hole("0"),
            literal("é"),
            hole(":?"),
        ];
        assert_eq!(pieces, expected);
        assert_eq!(split("").expect("well formed"), []);
        assert_eq!(split("{{}}").expect("well formed"), [literal("{}")]);
    }

    #[test]
    fn unbalanced_braces_are_refused() {
        for text in ["{", "a{b", "}", "a}b", "{a{b}", "{{}"] {
            assert!(split(text).is_err(), "{text}");
        }
    }
}
