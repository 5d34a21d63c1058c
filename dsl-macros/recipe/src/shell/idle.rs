//! Functions that a script defines and never calls.
//!
//! Conservative: a function counts as called if its name occurs anywhere except in its definition and its own body, even in
//! a text or a heredoc. Nothing is reported for a script that runs computed commands, and for functions without commands
//! that may fail.

use std::collections::{BTreeMap, BTreeSet};

use super::structure::{Shape, Simple};
use super::unguarded::{assigned, risky, words};
use super::word::{Part, Token, TokenKind};
use crate::idle::{Definition, NeverRun};

/// The functions that nothing calls, in the order in which they appear.
pub(super) fn all(tokens: &[Token], shape: &Shape<'_>) -> Vec<NeverRun> {
    let bodies = shape.bodies();
    if bodies.is_empty() || runs_anything(tokens) {
        return Vec::new();
    }
    let names: BTreeSet<&str> = bodies.iter().map(|(_, name)| *name).collect();
    let mut mentions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate().filter(|(at, _)| !is_definition(tokens, *at)) {
        mentioned(token, &mut |word| {
            if names.contains(word) {
                mentions.entry(word).or_default().push(at);
            }
        });
    }
    let idle = bodies.into_iter().filter(|(number, name)| {
        let body = &shape.compounds[*number];
        let own = body.start..body.behind.unwrap_or(tokens.len());
        let begin = shape.simple.partition_point(|one| one.start < own.start);
        let within = shape.simple[begin..].iter().take_while(|one| one.start < own.end);
        // Calls of other functions count as well.
        let does = |one: &Simple| risky(&words(tokens, one.start), &[], &[]).is_some();
        let is_plain = name.chars().all(is_part);
        is_plain
            && mentions.get(name).is_none_or(|places| places.iter().all(|at| own.contains(at)))
            && within.into_iter().any(does)
    });
    idle.map(|(number, name)| {
        let start = shape.compounds[number].start;
        let header = tokens[..start].iter().rfind(|token| is_name(token, name)).unwrap_or(&tokens[start]);
        NeverRun { kind: Definition::Function, name: name.to_owned(), line: header.line }
    })
    .collect()
}

/// Whether the word at `at` names a function that is defined there.
fn is_definition(tokens: &[Token], at: usize) -> bool {
    let is_op =
        |at: usize, op: &str| matches!(tokens.get(at), Some(Token { kind: TokenKind::Op(own), .. }) if *own == op);
    let is_behind_keyword = at.checked_sub(1).is_some_and(|before| is_name(&tokens[before], "function"));
    is_op(at + 1, "(") && is_op(at + 2, ")") || is_behind_keyword
}

fn is_name(token: &Token, name: &str) -> bool {
    matches!(&token.kind, TokenKind::Word(word) if word.literal() == Some(name))
}

/// Whether the script runs a computed command.
fn runs_anything(tokens: &[Token]) -> bool {
    let Ok(shape) = super::structure::check(tokens) else { return true };
    let is_computed = |one: &Simple| {
        let own = words(tokens, one.start);
        let program = own.iter().find(|word| assigned(word).is_none());
        program.is_some_and(|program| program.literal().is_none_or(|program| program == "eval"))
    };
    shape.simple.iter().any(is_computed) || scripts(tokens).any(runs_anything)
}

/// The substitutions among tokens.
fn scripts(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.iter().filter_map(Token::text).flat_map(|word| &word.parts).filter_map(|part| match part {
        Part::Script(tokens) | Part::Process { tokens, .. } => Some(tokens.as_slice()),
        _ => None,
    })
}

/// Calls `give` with each word of the texts in a token, because functions may be called by them.
fn mentioned<'t>(token: &'t Token, give: &mut impl FnMut(&'t str)) {
    let Some(word) = token.text() else { return };
    for part in &word.parts {
        match part {
            Part::Text { text, .. } => text.split(|sign| !is_part(sign)).for_each(&mut *give),
            Part::Script(tokens) | Part::Process { tokens, .. } => {
                tokens.iter().for_each(|token| mentioned(token, give));
            }
            Part::Var(_) | Part::Folder { .. } | Part::Unknown => {}
        }
    }
}

/// Whether a character may be part of a plain name.
fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '-')
}
