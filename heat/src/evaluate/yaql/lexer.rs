//! The tokens of YAQL, as `yaql.language.lexer` finds them.

use std::rc::Rc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(Rc<str>),
    Keyword(Rc<str>),
    /// Includes the dollar sign.
    Variable(Rc<str>),
    /// A name together with the parenthesis after it.
    Function(Rc<str>),
    /// An operator, a bracket or a comma.
    Sign(&'static str),
}

/// Longer signs come first.
const SIGNS: [&str; 24] = [
    "=~", "!~", "->", "=>", ">=", "<=", "!=", "?.", ".", "+", "-", "*", "/", ">", "<", "=", "(", ")", "[", "]", "{",
    "}", ",", ";",
];

/// The operators that are words.
const WORDS: [&str; 5] = ["mod", "in", "not", "and", "or"];

/// Why an expression cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// A mistake that YAQL refuses, and its position in characters from the start.
    Wrong { at: usize, why: String },
    /// The expression is too large or too deep to be read here.
    Unknown,
}

/// Reads tokens from a text.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// Where the search for the next token starts, in bytes.
    at: usize,
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token and its position in characters from the start. `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token)>, Broken> {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
        let place = self.text[..self.at].chars().count();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let (length, token) = match first {
            '$' => {
                let length = 1 + word(&rest[1..]).len();
                (length, Token::Variable(rest[..length].into()))
            }
            '\'' | '"' | '`' => match text(rest, first) {
                Some((length, text)) => (length, Token::Text(text.ok_or(Broken::Unknown)?.into())),
                None => return Err(Broken::Wrong { at: place, why: format!("the quote {first} is not closed") }),
            },
            // Digits of other scripts are digits, too.
            first if first.is_numeric() && !first.is_ascii() => return Err(Broken::Unknown),
            '0'..='9' => match number(rest) {
                Some((length, token)) => (length, token.ok_or(Broken::Unknown)?),
                None => return Err(illegal(place, first)),
            },
            first if is_word(first) => named(rest).ok_or_else(|| illegal(place, first))?,
            first => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(&sign) if sign != ";" => (sign.len(), Token::Sign(sign)),
                _ => return Err(illegal(place, first)),
            },
        };
        self.at += length;
        Ok(Some((place, token)))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
}

fn illegal(at: usize, sign: char) -> Broken {
    Broken::Wrong { at, why: format!("nothing in YAQL begins with `{}`", sign.escape_debug()) }
}

/// The letters, digits and underscores at the start.
fn word(text: &str) -> &str {
    &text[..text.find(|sign| !is_word(sign)).unwrap_or(text.len())]
}

/// A name: of a function, of an operator, or on its own.
fn named(rest: &str) -> Option<(usize, Token)> {
    let name = word(rest);
    if rest[name.len()..].starts_with('(') {
        return Some((name.len() + 1, Token::Function(name.into())));
    }
    if name.starts_with("__") {
        return None;
    }
    let token = match name {
        "true" => Token::Boolean(true),
        "false" => Token::Boolean(false),
        "null" => Token::Null,
        name => match WORDS.iter().find(|word| **word == name) {
            Some(word) => Token::Sign(word),
            None => Token::Keyword(name.into()),
        },
    };
    Some((name.len(), token))
}

/// A number, which ends where a word does. `None` in place of the token if it is too large.
fn number(rest: &str) -> Option<(usize, Option<Token>)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let ends = |length: usize| !rest[length..].starts_with(is_word);
    let whole = digits(rest);
    if let Some(fraction) = rest[whole..].strip_prefix('.') {
        let length = whole + 1 + digits(fraction);
        if length > whole + 1 && ends(length) {
            return Some((length, rest[..length].parse().ok().map(Token::Float)));
        }
    }
    ends(whole).then(|| (whole, rest[..whole].parse().ok().map(Token::Integer)))
}

/// A quoted text. `None` in place of the text if it cannot be decoded here.
fn text(rest: &str, quote: char) -> Option<(usize, Option<String>)> {
    let mut signs = rest.char_indices().skip(1);
    let end = loop {
        match signs.next()? {
            (_, '\\') if signs.next()?.1 == '\n' => return None,
            (at, sign) if sign == quote => break at,
            _ => {}
        }
    };
    let inside = &rest[1..end];
    Some((end + 1, if quote == '`' { Some(inside.replace("\\`", "`")) } else { decoded(inside) }))
}

/// Decodes Python's escapes. Invalid ones stay unchanged. `None` for escapes that Python looks up or refuses.
fn decoded(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, sign) = match escape(rest) {
            Some(escape) => escape,
            None if rest[1..].starts_with(['x', 'u', 'U', 'N']) => return None,
            None => (1, '\\'),
        };
        out.push(sign);
        rest = &rest[length..];
    }
    Some(out + rest)
}

/// The escape at the start: its length, and the character that it stands for.
fn escape(rest: &str) -> Option<(usize, char)> {
    let kind = rest[1..].chars().next()?;
    let hex = |digits: usize| {
        let code = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
        Some((2 + digits, char::from_u32(code)?))
    };
    Some(match kind {
        '\\' | '\'' | '"' => (2, kind),
        'a' => (2, '\u{7}'),
        'b' => (2, '\u{8}'),
        'f' => (2, '\u{c}'),
        'n' => (2, '\n'),
        'r' => (2, '\r'),
        't' => (2, '\t'),
        'v' => (2, '\u{b}'),
        'x' => return hex(2),
        'u' => return hex(4),
        'U' => return hex(8),
        '0'..='7' => {
            let digits = rest[1..].chars().take(3).take_while(|sign| sign.is_digit(8)).count();
            (1 + digits, char::from_u32(u32::from_str_radix(&rest[1..=digits], 8).ok()?)?)
        }
        _ => return None,
    })
}
