//! Definitions that a manifest never applies: classes that nothing includes, defined types that no resource has, and
//! virtual resources that nothing realizes.
//!
//! Conservative: a name that occurs anywhere else counts as used, and nothing is reported if names are computed.

use super::lexer::{Part, Token, TokenKind};
use crate::idle::{Definition, NeverRun};

/// All such definitions, in the order in which they appear.
pub(super) fn all(tokens: &[Token]) -> Vec<NeverRun> {
    if computes(tokens) {
        return Vec::new();
    }
    let realizes = tokens.iter().any(|token| matches!(&token.kind, TokenKind::Word(word) if word == "realize"));
    let defined = |at: usize| match (&tokens[at].kind, tokens.get(at + 1).map(|token| &token.kind)) {
        (TokenKind::Word(word), Some(TokenKind::Word(name))) if word == "class" => Some((Definition::Class, name)),
        (TokenKind::Word(word), Some(TokenKind::Word(name))) if word == "define" => {
            Some((Definition::DefinedType, name))
        }
        (TokenKind::Other('@'), Some(TokenKind::Word(name))) => Some((Definition::Virtual, name)),
        _ => None,
    };
    let idle = (0..tokens.len()).filter_map(|at| {
        let (kind, name) = defined(at)?;
        // Exported resources are for others.
        let is_exported = at.checked_sub(1).is_some_and(|before| tokens[before].kind == TokenKind::Other('@'));
        let is_used = if kind == Definition::Virtual {
            is_exported || realizes || collects(tokens, name)
        } else {
            let mut others = tokens.iter().enumerate().filter(|(other, _)| *other != at + 1);
            others.any(|(_, token)| names(token, name))
        };
        (!is_used).then(|| NeverRun { kind, name: name.clone(), line: tokens[at].line })
    });
    idle.collect()
}

/// Whether the manifest applies names that are computed or come from elsewhere.
fn computes(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let TokenKind::Word(word) = &token.kind else { return false };
        match word.as_str() {
            "create_resources" | "hiera_include" | "ensure_resource" | "ensure_resources" => true,
            "include" | "contain" | "require" => {
                let behind = tokens.get(at + 1).map(|token| &token.kind);
                !matches!(behind, Some(TokenKind::Word(_) | TokenKind::Text(_) | TokenKind::Sign("=>" | "{")))
            }
            _ => false,
        }
    })
}

/// Whether a collector selects resources of a type: `User <| |>`.
fn collects(tokens: &[Token], name: &str) -> bool {
    tokens.windows(2).any(|pair| {
        matches!(&pair[0].kind, TokenKind::Word(word) if word.eq_ignore_ascii_case(name))
            && matches!(pair[1].kind, TokenKind::Sign("<|") | TokenKind::Other('<'))
    })
}

/// Whether a token names a class or a type: as a word, as `Class['name']`, or as a part of a text.
fn names(token: &Token, name: &str) -> bool {
    let is_it = |word: &str| word.trim_start_matches(':').eq_ignore_ascii_case(name);
    match &token.kind {
        TokenKind::Word(word) => is_it(word),
        TokenKind::Text(parts) => parts.iter().any(|part| match part {
            Part::Text(text) => text.to_ascii_lowercase().contains(&name.to_ascii_lowercase()),
            Part::Code(tokens) => tokens.iter().any(|token| names(token, name)),
        }),
        _ => false,
    }
}
