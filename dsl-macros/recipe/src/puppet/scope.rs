//! The variables that a manifest sets, and those that come from elsewhere.

use super::facts;
use super::lexer::{Token, TokenKind};
use super::values::{is_facts, key_behind, last_part};
use crate::lookup::Names;
use crate::names::{OUTPUTS_PATH, is_identifier};

/// Records the variables that are assigned, or are parameters of a class, a defined type, a function, a template or a
/// lambda.
pub(super) fn sets(tokens: &[Token], into: &mut Names) {
    facts::KNOWN.iter().chain(&[OUTPUTS_PATH]).for_each(|name| into.set(name));
    // The number of open parentheses within the parameters of the current declaration.
    let mut parameters = 0_usize;
    let mut is_declared = false;
    let mut is_lambda = false;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|token| &token.kind);
        match &token.kind {
            TokenKind::Word(word) if matches!(word.as_str(), "class" | "define" | "function" | "plan") => {
                is_declared = true;
            }
            TokenKind::Sign("{") => is_declared = false,
            TokenKind::Sign("(") if is_declared || parameters > 0 => {
                is_declared = false;
                parameters += 1;
            }
            TokenKind::Sign(")") => parameters = parameters.saturating_sub(1),
            TokenKind::Sign("|") => is_lambda = !is_lambda,
            TokenKind::Variable(name)
                if parameters > 0 || is_lambda || matches!(next, Some(TokenKind::Sign("=" | "+="))) =>
            {
                into.set(last_part(name));
            }
            // `[$first, $second] = ...`
            TokenKind::Variable(name)
                if matches!(next, Some(TokenKind::Sign("," | "]"))) && is_taken_apart(&tokens[at..]) =>
            {
                into.set(last_part(name));
            }
            _ => {}
        }
    }
}

/// Whether the list that begins here is followed by `] =`.
fn is_taken_apart(tokens: &[Token]) -> bool {
    let end = tokens.iter().position(|token| !matches!(token.kind, TokenKind::Variable(_) | TokenKind::Sign(",")));
    end.is_some_and(|end| {
        matches!(tokens[end].kind, TokenKind::Sign("]"))
            && matches!(tokens.get(end + 1).map(|token| &token.kind), Some(TokenKind::Sign("=")))
    })
}

/// Records a variable that is used unconditionally; one with the name of another class belongs to that class.
pub(super) fn needs(name: &str, behind: &[Token], line: u32, into: &mut Names) {
    match key_behind(behind) {
        // A module, or the machine, may define its own facts.
        Some((key, _)) if is_facts(name) => {
            into.need(key, line);
            into.spare(key);
        }
        _ if is_facts(name) || name.trim_start_matches(':').contains("::") => {}
        _ => {
            let name = last_part(name);
            // `$1` is a capture of a pattern.
            if is_identifier(name) {
                into.need(name, line);
            }
            if facts::is_fact(name) {
                into.spare(name);
            }
        }
    }
}

/// Records a lookup, unless something comes after the key, such as a default.
pub(super) fn lookup(key: &str, behind: &[Token], line: u32, into: &mut Names) {
    let kinds: Vec<&TokenKind> = behind.iter().take(3).map(|token| &token.kind).collect();
    let is_type = |kind: &TokenKind| matches!(kind, TokenKind::Word(word) if word.starts_with(char::is_uppercase));
    let ends = match kinds.as_slice() {
        [TokenKind::Sign(","), ty, TokenKind::Sign(")")] => is_type(ty),
        [TokenKind::Sign("," | "["), ..] => false,
        _ => true,
    };
    if ends && !key.contains([':', '.']) {
        into.need(key, line);
    }
}
