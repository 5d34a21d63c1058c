//! Substitutions whose failure is not that of the command around them: `local x=$(...)` succeeds whatever ran within, and so
//! does a command that is given a variable (`x=$(...) make`), or an argument or heredoc (`echo "$(...)" >file`). No `set -e`
//! notices that.
//!
//! One-sided as `unguarded`. Nothing is said where a test looks at the variable. Of what is substituted in arguments, only programs
//! that ask others for something are reported.

use super::asked::{LOOKING, is_looked_at};
use super::pipe::FETCHING;
use super::structure::{Shape, Simple};
use super::unguarded::{assigned, end, last_substituted, words};
use super::word::{Kind, Token, Word};
use crate::failures::{Unnoticed, Why};

/// Commands that declare variables, and succeed.
const DECLARING: [&str; 5] = ["local", "export", "readonly", "declare", "typeset"];

/// Programs that ask others for something, besides those of `pipe`.
const ASKING: [&str; 7] = ["aws", "gpg", "kubectl", "mysql", "openstack", "psql", "vault"];

/// The first command that goes unnoticed like that.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    shape.simple.iter().find_map(|one| assigning(tokens, shape, one).or_else(|| argument(tokens, shape, one)))
}

/// What a variable is to have, that a command declares or is given.
fn assigning(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> Option<Unnoticed> {
    let own = words(tokens, one.start);
    let before = own.iter().take_while(|word| assigned(word).is_some()).count();
    let by = own.get(before)?.literal()?;
    let hidden: &[&Word] = if DECLARING.contains(&by) { &own[before + 1..] } else { &own[..before] };
    hidden.iter().find_map(|word| {
        let name = assigned(word)?;
        let program = last_substituted(std::iter::once(*word), &shape.functions)?;
        let why = Why::Substituted { name: name.to_owned(), by: by.to_owned() };
        (!is_looked_at(&tokens[one.start..], name)).then_some(Unnoticed { program, line: word.line, why })
    })
}

/// What a command has for an argument, or is fed.
fn argument(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> Option<Unnoticed> {
    let own = words(tokens, one.start);
    let by = own.first()?.literal()?;
    if one.is_asked || one.is_denied || DECLARING.contains(&by) || LOOKING.contains(&by) {
        return None;
    }
    let given = tokens[one.start..end(tokens, one.start)].iter().filter_map(|token| match &token.kind {
        Kind::Word(word) | Kind::Heredoc(word) => Some(word),
        Kind::Op(_) | Kind::Newline => None,
    });
    given.into_iter().find_map(|word| {
        let program = last_substituted(std::iter::once(word), &shape.functions)?;
        let asks = FETCHING.contains(&program.as_str()) || ASKING.contains(&program.as_str());
        let why = Why::Substituted { name: "value".to_owned(), by: by.to_owned() };
        asks.then_some(Unnoticed { program, line: word.line, why })
    })
}
