//! Commands in command substitutions of bash, which clears `set -e` there: `x=$(cd app; make)` continues if `cd` fails, and
//! so does a function in `x=$(f)`. This holds unless `shopt -s inherit_errexit` is set, or bash runs in POSIX mode. Other
//! shells do not do this.
//!
//! Conservative like `asked`.

use std::collections::{BTreeMap, BTreeSet};

use super::asked::{Asker, called, compounds, is_piped, is_question, looked_at, reached, unnoticed};
use super::guards::traps;
use super::pipe::is_alternative;
use super::structure::{self, Shape, Simple};
use super::unguarded::{FILTERS, Rule, asks, assigned, end, errexit, failing, goes_on, joined, next, risky, words};
use super::word::{Part, Token, TokenKind, Word};
use crate::failures::{Unnoticed, Why};

/// Whether the script makes substitutions inherit `set -e`.
pub(super) fn inherits(tokens: &[Token], shape: &Shape<'_>) -> bool {
    shape.simple.iter().any(|one| {
        let words = words(tokens, one.start);
        words.iter().any(|word| match word.literal() {
            Some(text) => matches!(text, "inherit_errexit" | "posix") || text.starts_with("POSIXLY_CORRECT="),
            None => false,
        })
    })
}

/// The first command that goes unnoticed in this way.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let failing = failing(tokens, shape);
    let (mut found, mut askers): (Vec<(String, u32)>, Vec<Asker<'_>>) = Default::default();
    let heads = shape.heads.iter().map(|head| (head.start, head.end));
    let looked_at = looked_at(tokens);
    let substitutes = |one: &&Simple| {
        let is_script = |part: &Part| matches!(part, Part::Script(_));
        let own = &tokens[one.start..end(tokens, one.start)];
        own.iter().filter_map(Token::text).any(|word| word.parts.iter().any(is_script))
    };
    let simple = shape.simple.iter().filter(substitutes).filter(|one| !is_spared(tokens, shape, one, &looked_at));
    for (start, end) in simple.map(|one| (one.start, end(tokens, one.start))).chain(heads) {
        for word in tokens[start..end].iter().filter_map(Token::text) {
            within(word, shape, &failing, &mut found, &mut askers);
        }
    }
    let direct = found.into_iter().min_by_key(|(_, line)| *line).map(|(program, line)| Unnoticed {
        file: None,
        program,
        line,
        why: Why::Cleared { function: None },
    });
    let is_on = |one: &&Simple| errexit(&words(tokens, one.start)) == Some(true);
    let own: BTreeSet<usize> = shape.simple.iter().filter(is_on).flat_map(|one| compounds(shape, one)).collect();
    askers.sort_by_key(|(_, line)| *line);
    let bodies = reached(tokens, shape, askers.into_iter(), |number| {
        is_question(tokens, shape, number) || own.contains(&number)
    });
    let called = unnoticed(tokens, shape, &bodies, false).map(|one| match one.why {
        Why::Asked { function } => Unnoticed { why: Why::Cleared { function }, ..one },
        _ => one,
    });
    direct.into_iter().chain(called).min_by_key(|one| one.line)
}

/// Whether the status of a command does not matter (`|| true`), or a test checks its output.
fn is_spared(tokens: &[Token], shape: &Shape<'_>, one: &Simple, looked_at: &BTreeMap<&str, usize>) -> bool {
    let own = words(tokens, one.start);
    let is_later = |name: &str| looked_at.get(name).is_some_and(|at| *at > one.start);
    if own.iter().filter_map(|word| assigned(word)).any(is_later) {
        return true;
    }
    let mut at = end(tokens, one.start);
    while let Some(Token { kind: TokenKind::Op(op @ ("&&" | "||")), .. }) = tokens.get(at) {
        let next = next(tokens, at);
        let is_nothing = |word: &Word| matches!(word.bare(), Some("true" | ":"));
        if *op == "||" && tokens.get(next).and_then(Token::text).is_some_and(is_nothing) {
            return true;
        }
        at = joined(tokens, shape, next);
    }
    false
}

/// The first command in each of a word's substitutions after whose failure the substitution continues, and the functions
/// that are called there.
fn within<'t>(
    word: &Word,
    outer: &Shape<'t>,
    failing: &[&str],
    found: &mut Vec<(String, u32)>,
    askers: &mut Vec<Asker<'t>>,
) {
    let scripts = word.parts.iter().filter_map(|part| match part {
        Part::Script(tokens) => Some(tokens),
        _ => None,
    });
    for tokens in scripts {
        let Ok(shape) = structure::check(tokens) else { continue };
        if traps(tokens, &shape) {
            continue;
        }
        let behind = shape.simple.iter().skip(1).map(Some).chain([None]);
        let first = shape.simple.iter().zip(behind).find_map(|(one, behind)| {
            let own = words(tokens, one.start);
            let program =
                risky(&own, &outer.functions, failing).filter(|program| !FILTERS.contains(&program.as_str()))?;
            let is_asked = one.is_asked || one.is_denied || behind.is_some_and(|one| asks(&words(tokens, one.start)));
            (!is_asked && !tells_folder(&own) && goes_on(tokens, &shape, one, Rule::Asked))
                .then(|| (program, tokens[one.start].line))
        });
        found.extend(first);
        for one in &shape.simple {
            let is_asked = one.is_asked || one.is_denied || is_alternative(tokens, one) || is_piped(tokens, one);
            let name = called(tokens, outer, one).filter(|_| !is_asked);
            askers.extend(name.map(|name| (name, tokens[one.start].line)));
        }
        tokens.iter().filter_map(Token::text).for_each(|word| within(word, outer, failing, found, askers));
    }
}

/// Whether a command changes to the folder of the script, which exists.
fn tells_folder(words: &[&Word]) -> bool {
    let is_computed = |part: &Part| matches!(part, Part::Script(_) | Part::Folder { .. });
    words.first().and_then(|word| word.literal()) == Some("cd")
        && words.iter().any(|word| word.parts.iter().any(is_computed))
}
