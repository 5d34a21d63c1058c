//! Background commands that the script waits for without checking their status: `wait` without an argument succeeds.
//!
//! Conservative like `unguarded`. Nothing is reported if something waits for a specific command (`wait $!`, `wait -n`) or
//! ends one by `kill`: then it is a helper.

use std::collections::BTreeMap;

use super::pipe::within;
use super::structure::Shape;
use super::unguarded::{end, joined, next, risky, words};
use super::word::{Token, TokenKind};
use crate::failures::{Unnoticed, Why};
use crate::names::file_name;

/// The first command that goes unnoticed in this way.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let waits = waits(tokens, shape)?;
    let bodies: BTreeMap<&str, usize> = shape.bodies().into_iter().map(|(number, name)| (name, number)).collect();
    let simple = shape.simple.iter().take_while(|one| one.start < waits).filter(|one| !one.is_asked).find_map(|one| {
        let own = is_sent_off(tokens, shape, one.start).then(|| words(tokens, one.start))?;
        // For a function, its content matters.
        if let Some(number) = own.first().and_then(|word| bodies.get(word.literal()?)) {
            let body = &shape.compounds[*number];
            return within(tokens, shape, body.start, body.behind?);
        }
        Some((risky(&own, &shape.functions, &[])?, tokens[one.start].line))
    });
    let compounds = shape.compounds.iter().filter(|own| !own.is_function && own.start < waits);
    let compound = compounds.filter(|own| !own.is_asked).find_map(|own| {
        let behind = own.behind.filter(|behind| is_sent_off(tokens, shape, *behind))?;
        within(tokens, shape, own.start, behind)
    });
    let (program, line) = simple.into_iter().chain(compound).min_by_key(|(_, line)| *line)?;
    Some(Unnoticed { file: None, program, line, why: Why::Background })
}

/// The last `wait` for all jobs, if nothing waits for a specific command or ends one.
fn waits(tokens: &[Token], shape: &Shape<'_>) -> Option<usize> {
    let mut last = None;
    for one in &shape.simple {
        let words = words(tokens, one.start);
        match words.first().and_then(|word| word.literal()).map(file_name) {
            Some("wait") if words.len() == 1 => last = Some(one.start),
            Some("wait" | "kill" | "pkill" | "killall" | "jobs" | "disown") => return None,
            _ => {}
        }
    }
    last
}

/// Whether the command at `start`, or its `&&` list, runs in the background.
fn is_sent_off(tokens: &[Token], shape: &Shape<'_>, start: usize) -> bool {
    let mut at = end(tokens, start);
    while let Some(Token { kind: TokenKind::Op("&&"), .. }) = tokens.get(at) {
        at = joined(tokens, shape, next(tokens, at));
    }
    matches!(tokens.get(at), Some(Token { kind: TokenKind::Op("&"), .. }))
}
