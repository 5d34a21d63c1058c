//! The arguments of the function `lookup`: `lookup('port', Integer, 'first', 80)`, `lookup('port', { merge => 'deep' })`,
//! `lookup({ 'name' => 'port' })`, or several keys, of which the first existing one is used.

use super::lexer::{Part, Token, TokenKind};

/// Options with a value for a missing key, or for any case.
const DEFAULTS: [&str; 3] = ["default_value", "default_values_hash", "override"];

/// A call of `lookup`.
pub(super) struct Lookup<'t> {
    pub(super) keys: Vec<&'t str>,
    /// It fails if its only key has no value.
    pub(super) is_needed: bool,
}

impl<'t> Lookup<'t> {
    /// The call whose arguments begin after its parenthesis; `None` if its keys are computed.
    pub(super) fn of(behind: &'t [Token]) -> Option<Self> {
        let (arguments, end) = arguments(behind);
        let first = *arguments.first()?;
        let named = option(first, "name");
        let keys = keys(named.unwrap_or(first))?;
        // A block computes a default.
        let has_block = sign(behind.get(end + 1)) == Some("|");
        let options = arguments.iter().find(|argument| sign(argument.first()) == Some("{"));
        let has_default = match (options, arguments.as_slice()) {
            (Some(options), _) => DEFAULTS.iter().any(|name| option(options, name).is_some()),
            // `NAME, TYPE, MERGE, DEFAULT`; a variable in the second place may hold options.
            (None, [_, second, ..]) => {
                arguments.len() > 3 || matches!(second.first().map(|token| &token.kind), Some(TokenKind::Variable(_)))
            }
            (None, _) => false,
        };
        Some(Self { is_needed: keys.len() == 1 && !has_default && !has_block, keys })
    }
}

/// The arguments up to the closing parenthesis, and its position.
fn arguments(tokens: &[Token]) -> (Vec<&[Token]>, usize) {
    let (mut found, mut begin, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, token) in tokens.iter().enumerate() {
        match sign(Some(token)) {
            Some("(" | "[" | "{") => depth += 1,
            Some(")") if depth == 0 => {
                found.extend((begin < at).then(|| &tokens[begin..at]));
                return (found, at);
            }
            Some(")" | "]" | "}") => depth = depth.saturating_sub(1),
            Some(",") if depth == 0 => {
                found.push(&tokens[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    (Vec::new(), tokens.len())
}

/// The value of an option in `{ 'name' => ... }`.
fn option<'t>(argument: &'t [Token], name: &str) -> Option<&'t [Token]> {
    if sign(argument.first()) != Some("{") {
        return None;
    }
    let at = argument.windows(2).position(|pair| {
        let is_name = match &pair[0].kind {
            TokenKind::Word(word) => word == name,
            _ => constant(&pair[0]) == Some(name),
        };
        is_name && sign(Some(&pair[1])) == Some("=>")
    })?;
    let value = &argument[at + 2..];
    let end = match sign(value.first()) {
        Some("[") => value.iter().position(|token| sign(Some(token)) == Some("]"))? + 1,
        _ => 1,
    };
    value.get(..end)
}

/// The constant, or the constants of a list.
fn keys(tokens: &[Token]) -> Option<Vec<&str>> {
    let items = match tokens {
        [open, items @ .., _] if sign(Some(open)) == Some("[") => items,
        one => one,
    };
    items.iter().filter(|token| sign(Some(token)) != Some(",")).map(constant).collect()
}

/// The text of a token without expansions.
fn constant(token: &Token) -> Option<&str> {
    match &token.kind {
        TokenKind::Text(parts) => match parts.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

fn sign(token: Option<&Token>) -> Option<&'static str> {
    match token?.kind {
        TokenKind::Sign(sign) => Some(sign),
        _ => None,
    }
}
