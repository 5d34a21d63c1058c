//! Pipes in which a failure goes unnoticed: the status of a pipe is that of its last command.
//!
//! That matters if the last command accepts any input. It is reported for programs that only pass data on (`make | tee
//! log`), and for a few programs that fetch data, if the next command accepts empty input (`curl ... | sh`).

use std::collections::BTreeMap;

use super::alternative::acts;
use super::structure::{Shape, Simple};
use super::unguarded::{FILTERS, asks, end, next, risky, words};
use super::word::{Token, TokenKind, Word, is_op};
use crate::names::file_name;

/// Programs that pass their input on.
const PASSING: [&str; 6] = ["tee", "cat", "true", ":", "logger", "ts"];
/// Programs that accept empty input.
const CONTENT: [&str; 9] = ["sh", "bash", "dash", "jq", "psql", "mysql", "sqlite3", "uniq", "xargs"];
/// Programs that fetch data, and that output nothing or only a part on failure.
pub(super) const FETCHING: [&str; 8] = ["curl", "wget", "pg_dump", "pg_dumpall", "mysqldump", "ssh", "zcat", "gunzip"];

/// Whether pipelines fail if any of their commands fails.
pub(super) fn fails(tokens: &[Token], shape: &Shape<'_>) -> bool {
    shape.simple.iter().any(|one| {
        let words = words(tokens, one.start);
        words.first().and_then(|word| word.literal()) == Some("set")
            && words.iter().any(|word| word.literal() == Some("pipefail"))
    })
}

/// The first command in a pipe whose failure goes unnoticed, and its line.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<(String, u32)> {
    let bodies: BTreeMap<&str, usize> = shape.bodies().into_iter().map(|(number, name)| (name, number)).collect();
    let simple = shape.simple.iter().filter(|one| !one.is_asked).find_map(|one| of_simple(tokens, shape, &bodies, one));
    let compound = shape.compounds.iter().filter(|own| !own.is_function && !own.is_asked).find_map(|own| {
        let behind = own.behind?;
        passes_on(tokens, shape, behind).then(|| within(tokens, shape, own.start, behind)).flatten()
    });
    simple.into_iter().chain(compound).min_by_key(|(_, line)| *line)
}

fn of_simple(
    tokens: &[Token],
    shape: &Shape<'_>,
    bodies: &BTreeMap<&str, usize>,
    one: &Simple,
) -> Option<(String, u32)> {
    let next = consumer(tokens, shape, end(tokens, one.start))?;
    let own = words(tokens, one.start);
    // For a function, its content matters, not its status.
    let body = own.first().and_then(|word| bodies.get(word.literal()?));
    if let Some(number) = body.filter(|_| passes_on(tokens, shape, one.start)) {
        let body = &shape.compounds[*number];
        return within(tokens, shape, body.start, body.behind?);
    }
    let producer = risky(&own, &shape.functions, &[])?;
    let consumer = program(&words(tokens, next.start))?;
    let fetches = FETCHING.contains(&producer.as_str());
    let is_content = CONTENT.contains(&consumer) || FILTERS.contains(&consumer);
    let is_lost = passes_on(tokens, shape, one.start) || fetches && is_content && !is_followed(tokens, shape, next);
    is_lost.then(|| (producer, tokens[one.start].line))
}

/// The consumer of a pipe at `at`.
fn consumer<'s>(tokens: &[Token], shape: &'s Shape<'_>, at: usize) -> Option<&'s Simple> {
    let is_pipe = matches!(tokens.get(at).map(|token| &token.kind), Some(TokenKind::Op("|" | "|&")));
    let start = is_pipe.then(|| next(tokens, at))?;
    shape.at_or_behind(start).filter(|one| one.start == start)
}

/// Whether the command at `start` feeds a program that only passes its input on, and its exit status is not checked.
fn passes_on(tokens: &[Token], shape: &Shape<'_>, start: usize) -> bool {
    let consumer = consumer(tokens, shape, end(tokens, start));
    consumer.is_some_and(|consumer| {
        let passes = program(&words(tokens, consumer.start)).is_some_and(|program| PASSING.contains(&program));
        passes && !is_followed(tokens, shape, consumer)
    })
}

/// Whether the command after a pipeline checks its status.
fn is_followed(tokens: &[Token], shape: &Shape<'_>, last: &Simple) -> bool {
    let later = shape.at_or_behind(end(tokens, last.start));
    later.is_some_and(|later| asks(&words(tokens, later.start)))
}

/// The first command between two tokens that may fail and whose status is not checked there.
pub(super) fn within(tokens: &[Token], shape: &Shape<'_>, start: usize, behind: usize) -> Option<(String, u32)> {
    let first = shape.simple.partition_point(|one| one.start < start);
    shape.simple[first..].iter().take_while(|one| one.start < behind).find_map(|one| {
        let is_asked = one.is_asked || one.is_denied || is_alternative(tokens, one) && !is_last(tokens, shape, one);
        let program = risky(&words(tokens, one.start), &shape.functions, &[]).filter(|_| !is_asked)?;
        Some((program, tokens[one.start].line))
    })
}

/// Operators that join commands.
const JOINTS: [&str; 5] = ["||", "&&", "|", "|&", "&"];

/// Whether a list ends with a command that performs a missing step: `[ -d x ] || mkdir x`.
fn is_last(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    let before = tokens[..one.start].iter().rfind(|token| token.kind != TokenKind::Newline);
    let is_end = !is_op(tokens.get(end(tokens, one.start)), &JOINTS);
    is_op(before, &["||"]) && is_end && acts(tokens, shape, one)
}

/// Whether `||` or `&&` comes before or after a command.
pub(super) fn is_alternative(tokens: &[Token], one: &Simple) -> bool {
    let before = tokens[..one.start].iter().rfind(|token| token.kind != TokenKind::Newline);
    is_op(before, &JOINTS) || is_op(tokens.get(end(tokens, one.start)), &JOINTS)
}

/// The program of a command, also after `sudo`.
pub(super) fn program<'w>(words: &[&'w Word]) -> Option<&'w str> {
    let literal = words.iter().map(|word| word.literal().unwrap_or_default());
    literal.map(file_name).find(|word| *word != "sudo" && !word.starts_with('-'))
}
