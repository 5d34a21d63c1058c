//! Commands after whose failure a script continues, unnoticed: it has no `set -e`, and does not check their status.
//!
//! Even with `set -e`, failures are ignored between `set +e` and the next `set -e`, and in a pipeline whose last command
//! accepts any input (`pipe`).
//!
//! Conservative, like all analyses here. Nothing is reported for a script that traps errors anywhere (`guards`), or runs
//! computed text; for builtins, which rarely fail, and programs whose failure is an answer; for the last command of a
//! function, which its caller may check; and for a loop's last command if nothing follows the loop.

use super::alternative::acts;
use super::guards::{before, is_guard};
use super::structure::{Shape, Simple};
use super::word::{Part, Token, TokenKind, Word, has_short, is_op};
use crate::names::{file_name, leading_identifier};

/// Builtins and programs that normally do not fail, or whose status is an answer.
pub(super) const HARMLESS: [&str; 63] = [
    "echo", "printf", "true", ":", "[", "[[", "test", "((", "let", "export", "local", "declare", "typeset", "readonly",
    "return", "exit", "break", "continue", "shift", "unset", "set", "shopt", "trap", "umask", "alias", "read", "wait",
    "exec", "sleep", "kill", "pkill", "killall", "grep", "egrep", "fgrep", "diff", "cmp", "date", "hostname", "uname",
    "id", "whoami", "pwd", "basename", "dirname", "nproc", "logger", "clear", "sync", "time", "getopts", "eval",
    "command", "type", "which", "hash", ".", "source", "function", "pgrep", "printenv", "expr", "getent",
];
/// Programs with which a substitution transforms text.
pub(super) const FILTERS: [&str; 9] = ["cat", "cut", "sed", "awk", "tr", "head", "tail", "sort", "wc"];
/// Words that end the list that contains a command.
const CLOSING: [&str; 6] = ["fi", "done", "esac", "}", "else", "elif"];

/// The first command after whose failure the script continues although failures matter later, and its line.
pub(super) fn early(tokens: &[Token], shape: &Shape<'_>) -> Option<(String, u32)> {
    if shape.simple.iter().any(|one| is_guard(tokens, shape, one)) {
        return None;
    }
    let before: Vec<Simple> = before(tokens, shape)?.into_iter().cloned().collect();
    unnoticed(tokens, shape, &before, true)
}

/// The first command after whose failure the script continues, and its line: of all commands, or of those under `set +e`.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>, everywhere: bool) -> Option<(String, u32)> {
    unnoticed(tokens, shape, &shape.simple, everywhere)
}

fn unnoticed(tokens: &[Token], shape: &Shape<'_>, among: &[Simple], everywhere: bool) -> Option<(String, u32)> {
    let next = among.iter().skip(1).map(Some).chain([None]);
    let (mut end, failing) = (None, failing(tokens, shape));
    among.iter().zip(next).find_map(|(one, next)| {
        let own = words(tokens, one.start);
        match errexit(&own) {
            Some(true) => end = None,
            // In a subshell, it applies up to its end.
            Some(false) => end = Some(one.around.and_then(|id| shape.compounds[id].behind).unwrap_or(tokens.len())),
            None => {}
        }
        let counts = !everywhere && end.is_none_or(|end| one.start >= end);
        if counts || one.is_asked {
            return None;
        }
        let program = risky(&own, &shape.functions, &failing)?;
        let is_asked = next.is_some_and(|next| asks(&words(tokens, next.start)));
        (!is_asked && goes_on(tokens, shape, one, Rule::Ignored)).then(|| (program, tokens[one.start].line))
    })
}

/// Whether a command enables or disables `set -e`.
pub(super) fn errexit(words: &[&Word]) -> Option<bool> {
    option(words, "errexit", 'e')
}

/// Whether a command sets an option of the shell, or unsets it. `letter` is its short form.
pub(super) fn option(words: &[&Word], name: &str, letter: char) -> Option<bool> {
    let literal: Vec<&str> = words.iter().filter_map(|word| word.literal()).collect();
    let ["set", rest @ ..] = literal.as_slice() else { return None };
    rest.iter().enumerate().find_map(|(at, word)| match *word {
        word if word == name => Some(at.checked_sub(1).is_some_and(|before| rest[before].starts_with('-'))),
        word if has_short(word, letter) => Some(true),
        word if word.contains(letter) && word.starts_with('+') => Some(false),
        _ => None,
    })
}

/// The functions that end with the status of a command that may fail.
pub(super) fn failing<'t>(tokens: &[Token], shape: &Shape<'t>) -> Vec<&'t str> {
    let fails = |number: usize| {
        let last = shape.simple.iter().rfind(|one| one.around == Some(number)).filter(|one| !one.is_asked)?;
        let is_denied = last.start.checked_sub(1).is_some_and(|before| is_bang(&tokens[before]));
        let is_break = |token: &&Token| matches!(token.kind, TokenKind::Newline | TokenKind::Op(";"));
        let at = end(tokens, last.start);
        let behind = at + tokens[at..].iter().take_while(is_break).count() + 1;
        let is_last = shape.compounds[number].behind == Some(behind) && !is_denied;
        risky(&words(tokens, last.start), &shape.functions, &[]).filter(|_| is_last)
    };
    shape.bodies().into_iter().filter(|(number, _)| fails(*number).is_some()).map(|(_, name)| name).collect()
}

fn is_bang(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Word(word) if word.bare() == Some("!"))
}

/// The words of the simple command that begins at `start`, except those of redirections.
pub(super) fn words(tokens: &[Token], start: usize) -> Vec<&Word> {
    let mut words = Vec::new();
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match &token.kind {
            TokenKind::Word(word) => words.push(word),
            TokenKind::Op(op) if op.contains(['<', '>']) => at += 1,
            TokenKind::Heredoc(_) => {}
            TokenKind::Op(_) | TokenKind::Newline => break,
        }
        at += 1;
    }
    words
}

/// Whether a command checks the status of the previous one, or ends the script with that status or as a failure.
pub(super) fn asks(words: &[&Word]) -> bool {
    let is_status = |part: &Part| matches!(part, Part::Var(name) if name == "?" || name == "PIPESTATUS");
    let ends = words.first().is_some_and(|word| matches!(word.literal(), Some("exit" | "return")));
    // A command that always fails hides no failure.
    let exits = ends && words.get(1).is_none_or(|status| status.literal().is_some_and(|status| status != "0"));
    exits || words.iter().any(|word| word.parts.iter().any(is_status))
}

/// The program of a command, if it may fail.
pub(super) fn risky(words: &[&Word], functions: &[&str], failing: &[&str]) -> Option<String> {
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let Some(program) = words.get(assigned) else {
        // An assignment ends with the status of the last substitution in it.
        return last_substituted(words.iter().copied(), functions);
    };
    let program = program.literal().filter(|program| !program.is_empty())?;
    let rest: Vec<&str> = words[assigned + 1..].iter().filter_map(|word| word.literal()).collect();
    let short = file_name(program);
    let is_meant = match short {
        "rm" => rest.iter().any(|word| word.starts_with('-') && word.contains('f')),
        "systemctl" | "service" => rest.iter().any(|word| *word == "stop" || word.starts_with("is-")),
        // An output that it fails to set is missing in the end.
        "wattle" => rest.first() == Some(&"set"),
        // It writes a heredoc.
        "cat" => words.len() == assigned + 1,
        _ => HARMLESS.contains(&short),
    };
    (!is_meant && (failing.contains(&program) || !functions.contains(&program))).then(|| short.to_owned())
}

fn is_assignment(word: &Word) -> bool {
    assigned(word).is_some()
}

/// The words of a command after its leading assignments.
pub(super) fn behind_assignments<'s, 'w>(words: &'s [&'w Word]) -> &'s [&'w Word] {
    &words[words.iter().take_while(|word| is_assignment(word)).count()..]
}

/// The variable that a word assigns to.
pub(super) fn assigned(word: &Word) -> Option<&str> {
    // The parts of a constant do not preserve the quotes: `x='y'`.
    let Some(Part::Text { text, quoted }) = word.parts.first() else { return None };
    let name = if *quoted && !word.is_constant() { "" } else { leading_identifier(text) };
    (!name.is_empty() && text[name.len()..].starts_with(['=', '+', '['])).then_some(name)
}

/// The program that determines the status of the last substitution in these words, if it may fail.
pub(super) fn last_substituted<'w>(
    words: impl DoubleEndedIterator<Item = &'w Word>,
    functions: &[&str],
) -> Option<String> {
    let script = words.flat_map(|word| &word.parts).rev().find_map(|part| match part {
        Part::Script(tokens) => Some(tokens),
        _ => None,
    })?;
    substituted(script, functions)
}

/// The last program of a substitution, if it may fail and its status is not checked there.
fn substituted(tokens: &[Token], functions: &[&str]) -> Option<String> {
    let is_op = |token: &Token| match &token.kind {
        TokenKind::Op(op) => !op.contains(['<', '>']),
        TokenKind::Newline => true,
        TokenKind::Word(word) => {
            word.bare().is_some_and(|word| CLOSING.contains(&word) || matches!(word, "then" | "do" | "{"))
        }
        TokenKind::Heredoc(_) => false,
    };
    let begin = tokens.iter().rposition(is_op).map_or(0, |at| at + 1);
    if tokens.iter().any(|token| token.kind == TokenKind::Op("||")) {
        return None;
    }
    let words = words(tokens, begin);
    risky(&words, functions, &[]).filter(|program| !FILTERS.contains(&program.as_str()))
}

/// The effect of a failure at a command.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// None.
    Ignored,
    /// None, and `&&` is an answer as well: `set -e` would let the script continue there, too.
    Asked,
    /// The script ends, or the subshell.
    Counts,
}

/// Whether the script continues after a command, or after its `&&` list, whatever the status.
pub(super) fn goes_on(tokens: &[Token], shape: &Shape, one: &Simple, rule: Rule) -> bool {
    let before = tokens[..one.start].iter().rfind(|token| token.kind != TokenKind::Newline);
    let is_answer = match before.map(|token| &token.kind) {
        Some(TokenKind::Op(op)) => *op == "||" && !acts(tokens, shape, one),
        Some(TokenKind::Word(word)) => word.bare() == Some("!"),
        _ => false,
    };
    let (mut at, mut around) = (end(tokens, one.start), one.around);
    if is_answer {
        return false;
    }
    // A compound command may be tested as a whole.
    loop {
        // So may a list: `a && b || c`.
        while let Some(Token { kind: TokenKind::Op(op), .. }) = tokens.get(at) {
            match *op {
                "||" | "|" | "|&" | "&" => return false,
                "&&" if rule == Rule::Asked => return false,
                "&&" => at = joined(tokens, shape, next(tokens, at)),
                _ => break,
            }
        }
        let is_break = |token: &&Token| {
            token.kind == TokenKind::Newline || matches!(token.kind, TokenKind::Op(op) if op.starts_with(';'))
        };
        let breaks = tokens[at..].iter().take_while(is_break).count();
        let ends_case =
            tokens[at..at + breaks].iter().any(|token| matches!(token.kind, TokenKind::Op(op) if op.len() > 1));
        let is_closed = match tokens.get(at + breaks).map(|token| &token.kind) {
            None => return false,
            // It is the end of a condition.
            Some(TokenKind::Word(word)) if matches!(word.bare(), Some("then" | "do")) => return false,
            Some(TokenKind::Word(word)) => word.bare().is_some_and(|word| CLOSING.contains(&word)),
            Some(TokenKind::Op(op)) => *op == ")",
            Some(_) => false,
        };
        if !is_closed && !ends_case {
            return true;
        }
        let Some(closed) = around.map(|id| &shape.compounds[id]).filter(|closed| !closed.is_function) else {
            return false;
        };
        let Some(behind) = closed.behind else { return false };
        if rule == Rule::Counts && is_op(tokens.get(closed.start), &["("]) {
            return false;
        }
        (at, around) = (end(tokens, behind), closed.outer);
    }
}

/// The beginning of an operator's operand, possibly on another line.
pub(super) fn next(tokens: &[Token], operator: usize) -> usize {
    operator + 1 + tokens[operator + 1..].iter().take_while(|token| token.kind == TokenKind::Newline).count()
}

/// The end of a command of a list, which may be a compound command.
pub(super) fn joined(tokens: &[Token], shape: &Shape, start: usize) -> usize {
    let start = start + usize::from(tokens.get(start).is_some_and(is_bang));
    let compound = shape.compounds.binary_search_by_key(&start, |compound| compound.start);
    end(tokens, compound.ok().and_then(|number| shape.compounds[number].behind).unwrap_or(start))
}

/// The end of the command at `start`: an operator, the end of a line, or the end of the script.
pub(super) fn end(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match &token.kind {
            TokenKind::Op(op) if op.contains(['<', '>']) => at += 1,
            TokenKind::Op(_) | TokenKind::Newline => break,
            TokenKind::Word(_) | TokenKind::Heredoc(_) => {}
        }
        at += 1;
    }
    at.min(tokens.len())
}
