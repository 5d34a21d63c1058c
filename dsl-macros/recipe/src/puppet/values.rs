//! The possible texts of an expression.

use std::collections::{BTreeMap, BTreeSet};

use super::lexer::{Part, Token, TokenKind};
use crate::names::{OUTPUTS_PATH, leading_identifier};
use crate::texts::{OUTPUTS, UNKNOWN, VALUES, product, unknown};

/// Functions that look up a name.
pub(super) const LOOKUPS: [&str; 8] =
    ["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include", "fact", "getvar", "get"];

/// The possible texts of each variable, from every assignment.
#[derive(Debug, Default)]
pub(super) struct Values(BTreeMap<String, BTreeSet<String>>);

impl Values {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let mut values = Self::default();
        // Puppet assigns each variable once, but uses may come before assignments in other scopes.
        for _ in 0..2 {
            values.assignments(tokens);
        }
        values
    }

    /// Collects `$name = value` and `[…].each |$name|`.
    fn assignments(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            let TokenKind::Variable(name) = &token.kind else { continue };
            let texts = match tokens.get(at + 1).map(|token| &token.kind) {
                Some(TokenKind::Sign("=")) => self.expression(&tokens[at + 2..]).0,
                Some(TokenKind::Sign("|")) => match iterated(tokens, at) {
                    Some(texts) => texts,
                    None => continue,
                },
                _ => continue,
            };
            let known = self.0.entry(last_part(name).to_owned()).or_default();
            known.extend(texts);
            if known.len() > VALUES {
                *known = BTreeSet::from([unknown(&*known)]);
            }
        }
    }

    /// The possible texts of an expression at the start of `tokens`, and the number of its tokens.
    pub(super) fn expression(&self, tokens: &[Token]) -> (Vec<String>, usize) {
        let (mut texts, mut length) = self.operand(tokens);
        while let Some(TokenKind::Sign("+")) = tokens.get(length).map(|token| &token.kind) {
            let (right, more) = self.operand(&tokens[length + 1..]);
            texts = product(&texts, &right);
            length += 1 + more;
        }
        // A method, a key or a selector changes the value.
        if matches!(
            tokens.get(length).map(|token| &token.kind),
            Some(TokenKind::Sign("." | "[" | "(") | TokenKind::Other('?'))
        ) {
            texts = product(&texts, &[UNKNOWN.into()]);
        }
        (texts, length)
    }

    fn operand(&self, tokens: &[Token]) -> (Vec<String>, usize) {
        let unknown = vec![UNKNOWN.into()];
        match tokens.first().map(|token| &token.kind) {
            Some(TokenKind::Text(parts)) => (self.text(parts), 1),
            Some(TokenKind::Variable(name)) => match key_behind(&tokens[1..]) {
                Some((key, length)) if is_facts(name) => (self.variable(key), 1 + length),
                _ => (self.variable(name), 1),
            },
            Some(TokenKind::Word(word)) if LOOKUPS.contains(&word.as_str()) => match key_behind(&tokens[1..]) {
                Some((key, length)) => (self.variable(key), 1 + length),
                None => (unknown, 1),
            },
            Some(TokenKind::Word(word)) => (vec![word.clone()], 1),
            _ => (unknown, 1),
        }
    }

    fn variable(&self, name: &str) -> Vec<String> {
        let name = last_part(name);
        if name == OUTPUTS_PATH {
            return vec![OUTPUTS.into()];
        }
        self.0.get(name).map_or_else(|| vec![UNKNOWN.into()], |texts| texts.iter().cloned().collect())
    }

    pub(super) fn text(&self, parts: &[Part]) -> Vec<String> {
        let mut texts = vec![String::new()];
        for part in parts {
            let values = match part {
                Part::Text(text) => vec![text.clone()],
                Part::Code(tokens) => self.code(tokens),
            };
            texts = product(&texts, &values);
        }
        texts
    }

    /// The possible texts of the code in `${…}`, in which a bare name is a variable.
    fn code(&self, tokens: &[Token]) -> Vec<String> {
        match tokens {
            [Token { kind: TokenKind::Word(name), .. }, rest @ ..] if is_facts(name) => match key_behind(rest) {
                Some((key, length)) if length == rest.len() => self.variable(key),
                _ => vec![UNKNOWN.into()],
            },
            [Token { kind: TokenKind::Word(name), .. }]
            // `${::name}`
            | [
                Token { kind: TokenKind::Sign(":"), .. },
                Token { kind: TokenKind::Sign(":"), .. },
                Token { kind: TokenKind::Word(name), .. },
            ] => self.variable(name),
            _ => {
                let (texts, length) = self.expression(tokens);
                if length == tokens.len() { texts } else { vec![UNKNOWN.into()] }
            }
        }
    }
}

/// The constant in `['key']`, `('key'…` or `.get('key'`, and the number of tokens up to a closing bracket.
pub(super) fn key_behind(tokens: &[Token]) -> Option<(&str, usize)> {
    let kinds: Vec<&TokenKind> = tokens.iter().take(6).map(|token| &token.kind).collect();
    let (skipped, kinds) = match kinds.as_slice() {
        [TokenKind::Sign("."), TokenKind::Word(_), rest @ ..] => (2, rest),
        all => (0, all),
    };
    let text = |kind: &'_ TokenKind| match kind {
        TokenKind::Text(parts) => matches!(parts.as_slice(), [Part::Text(_)]),
        _ => false,
    };
    let (at, length) = match kinds {
        [TokenKind::Sign("[" | "("), key, TokenKind::Sign("]" | ")"), ..]
            if text(key) || matches!(key, TokenKind::Word(_)) =>
        {
            (1, 3)
        }
        [TokenKind::Sign("("), key, ..] if text(key) => (1, 2),
        [key, ..] if skipped == 0 && text(key) => (0, 1),
        _ => return None,
    };
    match &tokens[skipped + at].kind {
        TokenKind::Text(parts) => match parts.as_slice() {
            [Part::Text(text)] => Some((text, skipped + length)),
            _ => None,
        },
        TokenKind::Word(word) => Some((word, skipped + length)),
        _ => None,
    }
}

/// The constants that `[…].each |$name|` iterates over, for the variable at `at`.
fn iterated(tokens: &[Token], at: usize) -> Option<Vec<String>> {
    let opening = at.checked_sub(1)?;
    let before = |back: usize| opening.checked_sub(back).map(|at| &tokens[at].kind);
    let each = matches!(tokens[opening].kind, TokenKind::Sign("|"))
        && matches!(before(1), Some(TokenKind::Word(word)) if matches!(word.as_str(), "each" | "map"))
        && matches!(before(2), Some(TokenKind::Sign(".")))
        && matches!(before(3), Some(TokenKind::Sign("]")));
    if !each {
        return None;
    }
    let mut texts = Vec::new();
    for token in tokens[..opening - 3].iter().rev() {
        match &token.kind {
            TokenKind::Text(parts) => match parts.as_slice() {
                [Part::Text(text)] => texts.push(text.clone()),
                _ => return None,
            },
            TokenKind::Sign(",") => {}
            TokenKind::Sign("[") => return Some(texts),
            _ => return None,
        }
    }
    None
}

pub(super) fn is_facts(name: &str) -> bool {
    matches!(name.trim_start_matches(':'), "facts" | "trusted" | "server_facts")
}

/// `port` for `::db2::port`.
pub(super) fn last_part(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or_default();
    if leading_identifier(last) == last { last } else { name }
}
