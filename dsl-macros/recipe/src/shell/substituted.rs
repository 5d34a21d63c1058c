//! Substitutions whose failure does not affect the command around them: `local x=$(...)` succeeds whatever the status of
//! the substitution, and so does a command with a variable in its environment (`x=$(...) make`), with an argument or
//! heredoc (`echo "$(...)" >file`), or with a process substitution as input (`mapfile -t x < <(...)`), a loop over a
//! substitution, and a `case` of one. No `set -e` notices that.
//!
//! Conservative like `unguarded`. Nothing is reported if a test checks the variable. For substitutions in arguments and
//! heads, only programs that query other systems are reported; for process substitutions, none that only list what exists.

use super::asked::{LOOKING, is_looked_at};
use super::pipe::{FETCHING, is_alternative};
use super::structure::{self, Head, Shape, Simple};
use super::unguarded::{FILTERS, assigned, end, last_substituted, risky, words};
use super::word::{Part, Token, TokenKind, Word};
use crate::failures::{Unnoticed, Why};
use crate::names::file_name;

/// Commands that declare variables, and always succeed.
const DECLARING: [&str; 5] = ["local", "export", "readonly", "declare", "typeset"];

/// Programs that query other systems, besides those of `pipe`.
const ASKING: [&str; 7] = ["aws", "gpg", "kubectl", "mysql", "openstack", "psql", "vault"];

/// Programs that list what exists, for which an empty list is an answer.
const LISTING: [&str; 24] = [
    "blkid",
    "compgen",
    "df",
    "dpkg",
    "dpkg-query",
    "du",
    "env",
    "find",
    "git",
    "ip",
    "iptables-save",
    "jobs",
    "ls",
    "lsblk",
    "lsof",
    "mount",
    "netstat",
    "nl",
    "paste",
    "ps",
    "rpm",
    "seq",
    "ss",
    "stat",
];

/// Builtins that store their input.
const READING: [&str; 3] = ["mapfile", "read", "readarray"];

/// The first command that goes unnoticed in this way.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let simple =
        shape.simple.iter().find_map(|one| assigning(tokens, shape, one).or_else(|| argument(tokens, shape, one)));
    let head = shape.heads.iter().find_map(|head| in_head(tokens, shape, head));
    [simple, head, read(tokens, shape)].into_iter().flatten().min_by_key(|one| one.line)
}

/// The substitution in the value of a variable that a command declares or has in its environment.
fn assigning(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> Option<Unnoticed> {
    let own = words(tokens, one.start);
    let before = own.iter().take_while(|word| assigned(word).is_some()).count();
    let by = own.get(before)?.literal()?;
    let hidden: &[&Word] = if DECLARING.contains(&by) { &own[before + 1..] } else { &own[..before] };
    hidden.iter().find_map(|word| {
        let name = assigned(word)?;
        let program = last_substituted(std::iter::once(*word), &shape.functions)?;
        let why = Why::Substituted { name: name.to_owned(), by: by.to_owned() };
        (!is_looked_at(&tokens[one.start..], name)).then_some(Unnoticed { file: None, program, line: word.line, why })
    })
}

/// The substitution in an argument or in the input of a command.
fn argument(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> Option<Unnoticed> {
    let own = words(tokens, one.start);
    let by = own.first()?.literal()?;
    if one.is_asked || one.is_denied || DECLARING.contains(&by) || LOOKING.contains(&by) {
        return None;
    }
    let mut given = tokens[one.start..end(tokens, one.start)].iter().filter_map(Token::text);
    given.find_map(|word| value(word, by, shape))
}

/// The substitution that a loop iterates over, or that is the subject of a `case` without a default.
fn in_head(tokens: &[Token], shape: &Shape<'_>, head: &Head) -> Option<Unnoticed> {
    let by = tokens.get(head.start)?.word()?.bare()?;
    let found = tokens[head.start..head.end].iter().filter_map(Token::word).find_map(|word| value(word, by, shape))?;
    let number = shape.compounds.binary_search_by_key(&head.start, |own| own.start).ok()?;
    let body = tokens.get(head.end..shape.compounds[number].behind?)?;
    let is_other = |pair: &[Token]| {
        let is_end = matches!(pair[1].kind, TokenKind::Op(")" | "|"));
        is_end && pair[0].word().is_some_and(|word| word.bare() == Some("*") || word.literal() == Some(""))
    };
    (by != "case" || !body.windows(2).any(is_other)).then_some(found)
}

/// A program that queries another system and whose output is part of a word.
fn value(word: &Word, by: &str, shape: &Shape<'_>) -> Option<Unnoticed> {
    let program = last_substituted(std::iter::once(word), &shape.functions)?;
    let asks = FETCHING.contains(&program.as_str()) || ASKING.contains(&program.as_str());
    asks.then(|| Unnoticed { file: None, program, line: word.line, why: of_value(by) })
}

fn of_value(by: &str) -> Why {
    Why::Substituted { name: "value".to_owned(), by: by.to_owned() }
}

/// The process substitution that a command reads.
fn read(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let is_waited_for = |part: &Part| matches!(part, Part::Var(name) if name == "!");
    if tokens.iter().filter_map(Token::word).any(|word| word.parts.iter().any(is_waited_for)) {
        return None;
    }
    let simple = shape.simple.iter().filter(|one| !one.is_asked && !one.is_denied).find_map(|one| {
        let own = words(tokens, one.start);
        let by = own.iter().find(|word| assigned(word).is_none())?.literal().map(file_name)?;
        let behind = end(tokens, one.start);
        let found = processes(&tokens[one.start..behind], by, shape)?;
        (!READING.contains(&by) || !is_tested(&tokens[behind..], own.last()?.literal())).then_some(found)
    });
    let compound = shape.compounds.iter().find_map(|own| {
        let (behind, by) = (own.behind?, tokens.get(own.start)?.word()?.bare().unwrap_or("{"));
        processes(&tokens[behind..end(tokens, behind)], by, shape)
    });
    simple.into_iter().chain(compound).min_by_key(|one| one.line)
}

/// The first command in process substitutions among these tokens that may fail and whose status is not checked there.
fn processes(tokens: &[Token], by: &str, shape: &Shape<'_>) -> Option<Unnoticed> {
    let parts = tokens.iter().filter_map(Token::word).flat_map(|word| &word.parts);
    parts.into_iter().find_map(|part| {
        let Part::Process { tokens, is_read: true } = part else { return None };
        let own = structure::check(tokens).ok()?;
        own.simple.iter().find_map(|one| {
            let is_asked = one.is_asked || one.is_denied;
            let joint = end(tokens, one.start);
            let is_piped = matches!(tokens.get(joint), Some(Token { kind: TokenKind::Op("|" | "|&"), .. }));
            let program = risky(&words(tokens, one.start), &shape.functions, &[])?;
            let lists = FILTERS.contains(&program.as_str()) || LISTING.contains(&program.as_str());
            let is_spared = is_asked || lists || is_alternative(tokens, one) && !is_piped;
            (!is_spared).then(|| Unnoticed { file: None, program, line: tokens[one.start].line, why: of_value(by) })
        })
    })
}

/// Whether a test among these tokens checks a variable, or something unknown.
fn is_tested(tokens: &[Token], name: Option<&str>) -> bool {
    if name.is_some_and(|name| is_looked_at(tokens, name)) {
        return true;
    }
    tokens.windows(3).any(|three| {
        let looks = three[0].word().is_some_and(|word| word.bare().is_some_and(|word| LOOKING.contains(&word)));
        let is_unknown = |token: &Token| token.word().is_some_and(|word| word.parts.contains(&Part::Unknown));
        looks && three[1..].iter().any(is_unknown)
    })
}
