//! Pipes whose failure nobody notices: a pipe ends as its last command does.
//!
//! That matters where the last command is content with whatever comes. It is said of what only passes on (`make | tee log`), and
//! of a few programs that fetch, of which others take nothing for an answer (`curl ... | sh`).

use super::structure::Shape;
use super::unguarded::{FILTERS, asks, end, risky, words};
use super::word::{Kind, Token, Word};
use crate::names::file_name;

/// Programs that pass on what comes.
const PASSING: [&str; 6] = ["tee", "cat", "true", ":", "logger", "ts"];
/// Programs to which nothing at all is a sound text.
const CONTENT: [&str; 9] = ["sh", "bash", "dash", "jq", "psql", "mysql", "sqlite3", "uniq", "xargs"];
/// Programs that fetch, and whose failure leaves nothing or half of it.
const FETCHING: [&str; 8] = ["curl", "wget", "pg_dump", "pg_dumpall", "mysqldump", "ssh", "zcat", "gunzip"];

/// Whether pipes fail as any of their commands does.
pub(super) fn fails(tokens: &[Token], shape: &Shape<'_>) -> bool {
    shape.simple.iter().any(|one| {
        let words = words(tokens, one.start);
        words.first().and_then(|word| word.literal()) == Some("set")
            && words.iter().any(|word| word.literal() == Some("pipefail"))
    })
}

/// The first command in a pipe whose failure goes unnoticed, and its line.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<(String, u32)> {
    let is_pipe = |at: usize| matches!(tokens.get(at).map(|token| &token.kind), Some(Kind::Op("|" | "|&")));
    let next = shape.simple.iter().skip(1).map(Some).chain([None]);
    shape.simple.iter().zip(next).filter(|(one, _)| !one.is_asked).find_map(|(one, next)| {
        let behind = end(tokens, one.start);
        let next = next.filter(|next| is_pipe(behind) && next.start == behind + 1)?;
        let producer = risky(&words(tokens, one.start), &shape.functions, &[])?;
        let consumer = program(&words(tokens, next.start))?.to_owned();
        let fetches = FETCHING.contains(&producer.as_str());
        let is_content = CONTENT.contains(&&*consumer) || FILTERS.contains(&&*consumer);
        let passes = PASSING.contains(&&*consumer);
        let later = shape.simple.iter().find(|later| later.start > end(tokens, next.start));
        let is_asked = later.is_some_and(|later| asks(&words(tokens, later.start)));
        (!is_asked && (passes || fetches && is_content)).then(|| (producer, tokens[one.start].line))
    })
}

/// The program of a command, also behind `sudo`.
fn program<'w>(words: &[&'w Word]) -> Option<&'w str> {
    let literal = words.iter().map(|word| word.literal().unwrap_or_default());
    literal.map(file_name).find(|word| *word != "sudo" && !word.starts_with('-'))
}
