//! Substitutions whose failure is not that of the command around them: `local x=$(...)` succeeds whatever ran within, and so
//! does a command that is given a variable (`x=$(...) make`). No `set -e` notices that.
//!
//! One-sided as `unguarded`. Nothing is said where a test looks at the variable.

use super::asked::is_looked_at;
use super::structure::Shape;
use super::unguarded::{assigned, last_substituted, words};
use super::word::{Token, Word};
use crate::failures::{Unnoticed, Why};

/// Commands that declare variables, and succeed.
const DECLARING: [&str; 5] = ["local", "export", "readonly", "declare", "typeset"];

/// The first command that goes unnoticed like that.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    shape.simple.iter().find_map(|one| {
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
    })
}
