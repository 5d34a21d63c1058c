//! Programs that succeed although their task has failed: `curl` with an error page, `psql` with a script in which a
//! statement failed, `find` whatever the status of the commands that it ran.
//!
//! Conservative like `unguarded`. For `curl`, only commands that store or pass on the response are reported.

use super::structure::{Shape, Simple};
use super::unguarded::{assigned, end, words};
use super::word::{Part, Token, TokenKind, Word, has_short};
use crate::failures::{Unnoticed, Why};
use crate::names::file_name;

/// The first such command.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let is_configured = tokens.iter().any(|token| mentions(token, "ON_ERROR_STOP") || mentions(token, "PSQLRC"));
    shape.simple.iter().filter(|one| !one.is_asked && !one.is_denied).find_map(|one| {
        let words = words(tokens, one.start);
        let at = words.iter().position(|word| {
            assigned(word).is_none() && word.literal().is_none_or(|word| !matches!(word, "sudo" | "-u" | "postgres"))
        })?;
        let program = words[at].literal().map(file_name)?;
        let rest = &words[at + 1..];
        let (what, fix) = match program {
            "curl" if keeps(tokens, one, rest) => ("the server answers with an error", "add `--fail`"),
            "psql" if !is_configured && runs_script(tokens, one, rest) => {
                ("a statement of its script fails", "add `-v ON_ERROR_STOP=1`")
            }
            "find" if runs_each(rest) => ("a command that it runs fails", "end `-exec` with `{} +`"),
            _ => return None,
        };
        let line = tokens[one.start].line;
        Some(Unnoticed { file: None, program: program.to_owned(), line, why: Why::Content { what, fix } })
    })
}

fn mentions(token: &Token, name: &str) -> bool {
    match &token.kind {
        TokenKind::Word(word) | TokenKind::Heredoc(word) => word.parts.iter().any(|part| match part {
            Part::Text { text, .. } => text.contains(name),
            Part::Var(own) => own == name,
            _ => false,
        }),
        _ => false,
    }
}

/// Whether `curl` stores the response, whatever the server answers.
fn keeps(tokens: &[Token], one: &Simple, words: &[&Word]) -> bool {
    let literal = || words.iter().filter_map(|word| word.literal());
    // The response is checked, or only its headers are requested; or options come from elsewhere.
    let asks = |word: &str| {
        word.starts_with("--fail")
            || matches!(word, "--write-out" | "--head" | "--config" | "--include" | "--upload-file" | "--dump-header")
            || ['f', 'w', 'I', 'K', 'i', 'T', 'D'].iter().any(|option| has_short(word, *option))
    };
    let is_open = words.iter().any(|word| matches!(word.parts.first(), Some(Part::Var(_) | Part::Unknown)));
    if is_open || literal().any(asks) || literal().any(|word| word == "/dev/null") {
        return false;
    }
    let is_kept = literal()
        .any(|word| matches!(word, "--output" | "--remote-name") || has_short(word, 'o') || has_short(word, 'O'));
    is_kept || sends(tokens, one)
}

/// Whether the output of a command goes to a file.
fn sends(tokens: &[Token], one: &Simple) -> bool {
    let own = &tokens[one.start..end(tokens, one.start)];
    own.windows(2).any(|pair| match (&pair[0].kind, &pair[1].kind) {
        (TokenKind::Op(">" | ">>" | ">|"), TokenKind::Word(word)) => {
            word.literal().is_none_or(|file| !file.starts_with("/dev/") && !file.starts_with('&'))
        }
        _ => false,
    })
}

/// Whether `psql` runs a script, in which it continues after errors.
fn runs_script(tokens: &[Token], one: &Simple, words: &[&Word]) -> bool {
    let literal = || words.iter().filter_map(|word| word.literal());
    let is_file = literal().any(|word| matches!(word, "-f" | "--file") || word.starts_with("--file="));
    let own = &tokens[one.start..end(tokens, one.start)];
    let is_fed = own.iter().any(|token| matches!(token.kind, TokenKind::Op("<" | "<<<") | TokenKind::Heredoc(_)));
    let is_one = literal().any(|word| matches!(word, "-c" | "--command" | "-l" | "--list"));
    is_file || is_fed && !is_one
}

/// Whether `find` runs commands one by one, whose status it ignores.
fn runs_each(words: &[&Word]) -> bool {
    let literal: Vec<&str> = words.iter().map(|word| word.literal().unwrap_or_default()).collect();
    let Some(at) = literal.iter().position(|word| matches!(*word, "-exec" | "-execdir")) else { return false };
    let asks = literal.get(at + 1).is_some_and(|program| {
        matches!(file_name(program), "grep" | "test" | "[" | "sh" | "bash" | "echo" | "cmp" | "false" | "true")
    });
    // The expression after such a command depends on its status.
    !asks && literal[at..].contains(&";") && literal.last() == Some(&";")
}
