//! Commands whose failure goes unnoticed in spite of `set -e`, which does not apply where an exit status is tested: in a
//! condition, before `&&` and `||`, after `!`. There, a function that fails in the middle continues (`install || exit`),
//! and so do commands in braces and parentheses.
//!
//! Conservative like `unguarded`. Nothing is reported for a function that ends with a test, which makes it a predicate; for
//! `f || true`; and for a value that is assigned and then tested.

use std::collections::BTreeMap;

use super::structure::{Around, Shape, Simple};
use super::unguarded::{Rule, asks, assigned, end, failing, goes_on, joined, next, risky, words};
use super::word::{Part, Token, TokenKind, Word};
use crate::failures::{Unnoticed, Why};
use crate::names::file_name;

/// Programs whose exit status is an answer.
const ANSWERS: [&str; 8] = ["[", "test", "grep", "egrep", "fgrep", "cmp", "diff", "pgrep"];
/// Programs, or heads of compound commands, that test a value.
pub(super) const LOOKING: [&str; 5] = ["[", "[[", "test", "case", ":"];

/// A function whose exit status is tested, and the line of the test.
pub(super) type Asker<'t> = (&'t str, u32);

/// The first command that goes unnoticed in this way.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let askers = shape.simple.iter().filter(|one| is_asked(tokens, shape, one));
    let askers = askers.filter_map(|one| Some((called(tokens, shape, one)?, tokens[one.start].line)));
    let asked = reached(tokens, shape, askers, |number| is_question(tokens, shape, number));
    unnoticed(tokens, shape, &asked, true)
}

/// The first command that goes unnoticed in the bodies of functions that are `asked`, or anywhere else in a tested
/// construct, if the latter is requested.
pub(super) fn unnoticed(
    tokens: &[Token],
    shape: &Shape<'_>,
    asked: &BTreeMap<usize, Asker<'_>>,
    counts: bool,
) -> Option<Unnoticed> {
    let failing = failing(tokens, shape);
    let behind = shape.simple.iter().skip(1).map(Some).chain([None]);
    shape.simple.iter().zip(behind).find_map(|(one, behind)| {
        let function = compounds(shape, one).find_map(|number| asked.get(&number));
        let is_in = counts && (one.is_asked || is_around_asked(tokens, shape, one));
        if function.is_none() && !is_in || one.is_denied {
            return None;
        }
        let own = words(tokens, one.start);
        let program = risky(&own, &shape.functions, &failing)?;
        let is_value = own.iter().all(|word| assigned(word).is_some());
        let mut names = own.iter().filter_map(|word| assigned(word));
        let is_looked_at = is_value && names.any(|name| is_looked_at(&tokens[one.start..], name));
        let is_asked = is_looked_at || behind.is_some_and(|behind| asks(&words(tokens, behind.start)));
        let function = function.map(|(name, line)| ((*name).to_owned(), *line));
        let line = tokens[one.start].line;
        (!is_asked && goes_on(tokens, shape, one, Rule::Asked)).then_some(Unnoticed {
            file: None,
            program,
            line,
            why: Why::Asked { function },
        })
    })
}

/// Whether a test among these tokens tests the variable of this name.
pub(super) fn is_looked_at(tokens: &[Token], name: &str) -> bool {
    let mut looks = false;
    tokens.iter().any(|token| match &token.kind {
        TokenKind::Word(word) => {
            looks |= word.bare().is_some_and(|word| LOOKING.contains(&word));
            looks && word.parts.iter().any(|part| matches!(part, Part::Var(own) if own == name))
        }
        TokenKind::Op(op) if op.contains(['<', '>']) => false,
        _ => {
            looks = false;
            false
        }
    })
}

/// The function that a command calls.
pub(super) fn called<'t>(tokens: &[Token], shape: &Shape<'t>, one: &Simple) -> Option<&'t str> {
    let words = words(tokens, one.start);
    let program = words.iter().find(|word| assigned(word).is_none())?.literal()?;
    shape.functions.iter().copied().find(|name| *name == program)
}

/// The tested variables, each with the position of the last test.
pub(super) fn looked_at(tokens: &[Token]) -> BTreeMap<&str, usize> {
    let (mut looks, mut found) = (false, BTreeMap::new());
    for (at, token) in tokens.iter().enumerate() {
        match &token.kind {
            TokenKind::Word(word) => {
                looks |= word.bare().is_some_and(|word| LOOKING.contains(&word));
                for part in word.parts.iter().filter(|_| looks) {
                    if let Part::Var(name) = part {
                        found.insert(name.as_str(), at);
                    }
                }
            }
            TokenKind::Op(op) if op.contains(['<', '>']) => {}
            _ => looks = false,
        }
    }
    found
}

/// The bodies of functions in which `set -e` does not apply, because an asker calls one of them, except for those that are
/// `spared`.
pub(super) fn reached<'t>(
    tokens: &[Token],
    shape: &Shape<'t>,
    askers: impl Iterator<Item = Asker<'t>>,
    spared: impl Fn(usize) -> bool,
) -> BTreeMap<usize, Asker<'t>> {
    let (bodies, mut asked) = (shape.bodies(), BTreeMap::new());
    // The calls in each body.
    let mut calls: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for one in shape.simple.iter().filter(|one| !is_piped(tokens, one)) {
        if let (Some(body), Some(name)) = (compounds(shape, one).last(), called(tokens, shape, one)) {
            calls.entry(body).or_default().push(name);
        }
    }
    for (asker, line) in askers {
        let mut waiting = vec![asker];
        while let Some(name) = waiting.pop() {
            for (number, _) in bodies.iter().filter(|(_, own)| *own == name) {
                if asked.contains_key(number) || spared(*number) {
                    continue;
                }
                asked.insert(*number, (asker, line));
                waiting.extend(calls.remove(number).unwrap_or_default());
            }
        }
    }
    asked
}

/// The compound commands around a command, from the innermost to the body of its function.
pub(super) fn compounds(shape: &Shape<'_>, one: &Simple) -> impl Iterator<Item = usize> {
    let mut next = one.around;
    std::iter::from_fn(move || {
        let number = next?;
        let around: &Around = &shape.compounds[number];
        next = around.outer.filter(|_| !around.is_function);
        Some(number)
    })
}

/// Whether the exit status of a command, or of one around it, is tested.
fn is_asked(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    let is_itself = !is_piped(tokens, one) && (one.is_asked || one.is_denied || is_joined(tokens, shape, one.start));
    is_itself || is_around_asked(tokens, shape, one)
}

/// Whether the output of a command matters rather than its exit status.
pub(super) fn is_piped(tokens: &[Token], one: &Simple) -> bool {
    matches!(tokens.get(end(tokens, one.start)).map(|token| &token.kind), Some(TokenKind::Op("|" | "|&")))
}

fn is_around_asked(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    let around = compounds(shape, one).map(|number| &shape.compounds[number]).filter(|around| !around.is_function);
    around
        .into_iter()
        .any(|around| around.is_denied || around.behind.is_some_and(|behind| is_joined(tokens, shape, behind)))
}

/// Whether `&&` or `||` follows the command at `start`, unless the list cannot fail (`|| true`).
fn is_joined(tokens: &[Token], shape: &Shape<'_>, start: usize) -> bool {
    let (mut at, mut is_joined) = (end(tokens, start), false);
    while let Some(Token { kind: TokenKind::Op(op), .. }) = tokens.get(at) {
        let next = next(tokens, at);
        match *op {
            "||" if matches!(bare(tokens.get(next)), Some("true" | ":")) => return false,
            "&&" | "||" => is_joined = true,
            // Its output matters.
            "|" | "|&" if !is_joined => return false,
            "|" | "|&" => {}
            _ => break,
        }
        at = joined(tokens, shape, next);
    }
    is_joined
}

/// Whether a function's body ends with a test.
pub(super) fn is_question(tokens: &[Token], shape: &Shape<'_>, number: usize) -> bool {
    let Some(behind) = shape.compounds[number].behind else { return false };
    let is_break = |token: &&Token| matches!(token.kind, TokenKind::Newline | TokenKind::Op(";"));
    let inner = &tokens[..behind.saturating_sub(1)];
    let inner = &inner[..inner.len() - inner.iter().rev().take_while(is_break).count()];
    if matches!(bare(inner.last()), Some("]" | "]]" | "))")) {
        return true;
    }
    let last = shape.simple.iter().rfind(|one| one.around == Some(number));
    last.filter(|one| end(tokens, one.start) == inner.len()).is_some_and(|one| {
        let program = words(tokens, one.start).first().and_then(|word| word.literal());
        program.is_some_and(|program| ANSWERS.contains(&file_name(program)))
    })
}

fn bare(token: Option<&Token>) -> Option<&str> {
    match &token?.kind {
        TokenKind::Word(word) => Word::bare(word),
        _ => None,
    }
}
