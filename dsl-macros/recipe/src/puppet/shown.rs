//! Secrets that a manifest shows: by `notice` and similar functions, or by a `notify`.
//!
//! Conservative: only a variable that is assigned from a lookup of the secret counts, or one with its name that is set
//! nowhere.

use super::lexer::{Part, Token, TokenKind};
use super::values::last_part;
use crate::shown::{How, Shown};

/// Functions that write to the log. Puppet shows less severe messages only if it is configured to.
const LOGGING: [&str; 6] = ["notice", "warning", "err", "alert", "crit", "emerg"];

/// The first such place, in the order in which they appear.
pub(super) fn first(tokens: &[Token], secrets: &[&str]) -> Option<Shown> {
    let held = held(tokens, secrets);
    (0..tokens.len()).find_map(|at| {
        let TokenKind::Word(word) = &tokens[at].kind else { return None };
        let before = at.checked_sub(1).map(|before| &tokens[before].kind);
        // A virtual resource may never exist, and `Notify['x']` is only a reference.
        if matches!(before, Some(TokenKind::Other('@') | TokenKind::Sign("." | "=>"))) {
            return None;
        }
        let opens = |sign| tokens.get(at + 1).is_some_and(|token| token.kind == TokenKind::Sign(sign));
        let shown = if LOGGING.contains(&word.as_str()) && opens("(") {
            value(&tokens[at + 2..], &held)
        } else if word == "notify" && opens("{") {
            notified(&tokens[at + 2..], &held)
        } else {
            None
        };
        let (name, line) = shown?;
        Some(Shown { name: name.to_owned(), line, how: How::Printed { by: word.clone() } })
    })
}

/// The variables whose value is a secret, each with the secret.
fn held<'h>(tokens: &'h [Token], secrets: &[&'h str]) -> Vec<(&'h str, &'h str)> {
    let set = |name: &str| {
        let is_it = |token: &Token| matches!(&token.kind, TokenKind::Variable(own) if last_part(own) == name);
        let is_set =
            |next: Option<&Token>| matches!(next.map(|next| &next.kind), Some(TokenKind::Sign("=" | "|" | ",")));
        (0..tokens.len()).filter(|at| is_it(&tokens[*at]) && is_set(tokens.get(at + 1))).count()
    };
    let unset = secrets.iter().copied().filter(|name| set(name) == 0).map(|name| (name, name));
    let looked_up = (0..tokens.len()).filter_map(|at| {
        let TokenKind::Variable(name) = &tokens[at].kind else { return None };
        let is_assigned = tokens.get(at + 1).is_some_and(|token| token.kind == TokenKind::Sign("="));
        let (secret, length) = looked_up(tokens.get(at + 2..)?, secrets).filter(|_| is_assigned)?;
        // Concatenations and method calls after it change the value.
        let behind = tokens.get(at + 2 + length).map(|token| &token.kind);
        let is_whole = !matches!(behind, Some(TokenKind::Sign("." | "[" | "+" | "(") | TokenKind::Other(_)));
        (is_whole && set(last_part(name)) == 1).then(|| (last_part(name), secret))
    });
    unset.chain(looked_up).collect()
}

/// The secret that `lookup('name')` returns, and the number of tokens of the lookup.
fn looked_up<'h>(tokens: &[Token], secrets: &[&'h str]) -> Option<(&'h str, usize)> {
    let kinds: Vec<&TokenKind> = tokens.iter().take(4).map(|token| &token.kind).collect();
    let [TokenKind::Word(word), TokenKind::Sign("("), TokenKind::Text(parts), TokenKind::Sign(")")] = kinds.as_slice()
    else {
        return None;
    };
    let [Part::Text(name)] = parts.as_slice() else { return None };
    let secret =
        secrets.iter().copied().find(|own| own == name).filter(|_| matches!(word.as_str(), "lookup" | "hiera"))?;
    Some((secret, 4))
}

/// The secret in a text, a variable or a lookup at the start of these tokens, and its line.
fn value<'h>(tokens: &[Token], held: &[(&'h str, &'h str)]) -> Option<(&'h str, u32)> {
    let first = tokens.first()?;
    let of = |name: &str| held.iter().find(|(own, _)| *own == last_part(name)).map(|(_, secret)| *secret);
    let is_whole = |at: usize| {
        let behind = tokens.get(at).map(|token| &token.kind);
        matches!(behind, None | Some(TokenKind::Sign(")" | "," | ":" | "}" | ";")))
    };
    let found = match &first.kind {
        TokenKind::Variable(name) => of(name).filter(|_| is_whole(1)),
        TokenKind::Text(parts) => parts.iter().filter(|_| is_whole(1)).find_map(|part| match part {
            Part::Code(code) => match code.as_slice() {
                [Token { kind: TokenKind::Word(name) | TokenKind::Variable(name), .. }] => of(name),
                _ => None,
            },
            Part::Text(_) => None,
        }),
        _ => {
            let secrets: Vec<&str> = held.iter().map(|(_, secret)| *secret).collect();
            looked_up(tokens, &secrets).filter(|(_, length)| is_whole(*length)).map(|(secret, _)| secret)
        }
    };
    found.map(|secret| (secret, first.line))
}

/// The message of a `notify`: its `message`, or otherwise its title.
fn notified<'h>(tokens: &[Token], held: &[(&'h str, &'h str)]) -> Option<(&'h str, u32)> {
    let end = tokens.iter().position(|token| token.kind == TokenKind::Sign("}")).unwrap_or(tokens.len());
    let body = &tokens[..end];
    let message = body.windows(2).position(|pair| {
        matches!(&pair[0].kind, TokenKind::Word(word) if word == "message") && pair[1].kind == TokenKind::Sign("=>")
    });
    match message {
        Some(at) => value(&body[at + 2..], held),
        None => value(body, held),
    }
}
