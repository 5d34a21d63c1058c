//! Secrets that a script shows: by `echo`, by `set -x`, by `env`, or in an output that everyone may read.
//!
//! Conservative: the output of a command counts only if nothing around it redirects it to a file or another program, and
//! only in functions that are called in this way. Nothing is reported for a variable that the script sets, or for scripts
//! that run computed text or include others.

use std::collections::BTreeMap;

use super::asked::{called, compounds};
use super::lexer::Lexer;
use super::pipe::program;
use super::structure::{self, Shape, Simple};
use super::unguarded::{assigned, behind_assignments, end, next, option, words};
use super::word::{Part, Token, TokenKind, Word, has_short, is_op};
use crate::names::OUTPUTS_PATH;
use crate::shown::{How, Shown};

/// Builtins that may set the variables named by their arguments.
const SETTING: [&str; 8] = ["read", "unset", "mapfile", "readarray", "getopts", "printf", "wait", "let"];
/// Builtins before an assignment.
const DECLARING: [&str; 5] = ["export", "local", "readonly", "declare", "typeset"];

/// The first such place, by line.
pub(super) fn first(source: &str, secrets: &[&str], plain: &[&str]) -> Option<Shown> {
    let tokens = Lexer { whole: true, ..Lexer::new(source, 1, 0) }.tokens(None).ok()?;
    let shape = structure::check(&tokens).ok()?;
    if takes_in(&tokens, &shape) {
        return None;
    }
    let held = held(&tokens, &shape, secrets);
    let script = Script { tokens: &tokens, shape: &shape, held: &held };
    // After the script redirects all of its output, nothing is certain.
    let is_sent = shape.simple.iter().any(|one| script.program(one) == Some("exec") && script.redirects(one.start));
    let written = shape.simple.iter().filter_map(|one| script.written(one, plain));
    let said = shape.simple.iter().filter(|_| !is_sent).filter_map(|one| script.said(one));
    let traced = script.traced(source).filter(|_| !is_sent);
    written.chain(said).chain(traced).min_by_key(|one| one.line)
}

/// Whether a script includes others that may set anything, or runs computed commands.
fn takes_in(tokens: &[Token], shape: &Shape<'_>) -> bool {
    shape.simple.iter().any(|one| {
        let own = words(tokens, one.start);
        match own.first().and_then(|word| word.literal()) {
            Some("eval") => true,
            Some("." | "source") => {
                !own.get(1).and_then(|word| word.literal()).is_some_and(|path| path.starts_with('/'))
            }
            _ => false,
        }
    })
}

/// The variables whose value is a secret, alone or within a text, each with the secret.
fn held(tokens: &[Token], shape: &Shape<'_>, secrets: &[&str]) -> BTreeMap<String, String> {
    // The number of assignments to each variable.
    let mut set: BTreeMap<&str, usize> = BTreeMap::new();
    for head in &shape.heads {
        let variable = tokens.get(head.start + 1).and_then(Token::word).and_then(Word::literal);
        variable.into_iter().for_each(|name| *set.entry(name).or_default() += 1);
    }
    let mut given: Vec<(&str, &Word)> = Vec::new();
    for one in &shape.simple {
        let own = words(tokens, one.start);
        let first = own.first().and_then(|word| word.literal()).unwrap_or_default();
        let is_plain = own.iter().all(|word| assigned(word).is_some());
        for word in &own {
            if let Some(name) = assigned(word) {
                *set.entry(name).or_default() += 1;
                given.extend((is_plain || DECLARING.contains(&first)).then_some((name, *word)));
            } else if SETTING.contains(&first) {
                word.literal().into_iter().for_each(|name| *set.entry(name).or_default() += 1);
            }
        }
    }
    let unset = secrets.iter().filter(|name| !set.contains_key(**name));
    let mut held: BTreeMap<String, String> = unset.map(|name| ((*name).to_owned(), (*name).to_owned())).collect();
    for (name, word) in given.into_iter().filter(|(name, _)| set.get(name) == Some(&1)) {
        let secret = word.parts.iter().find_map(|part| part_of(part, &held));
        if let Some(secret) = secret.map(str::to_owned) {
            held.insert(name.to_owned(), secret);
        }
    }
    held
}

fn part_of<'h>(part: &Part, held: &'h BTreeMap<String, String>) -> Option<&'h str> {
    match part {
        Part::Var(name) => held.get(name).map(String::as_str),
        _ => None,
    }
}

struct Script<'s> {
    tokens: &'s [Token],
    shape: &'s Shape<'s>,
    held: &'s BTreeMap<String, String>,
}

impl<'s> Script<'s> {
    /// The words of a command after its assignments.
    fn own(&self, one: &Simple) -> Vec<&'s Word> {
        behind_assignments(&words(self.tokens, one.start)).to_vec()
    }

    fn program(&self, one: &Simple) -> Option<&'s str> {
        program(&self.own(one))
    }

    /// The secret in one of these words.
    fn secret(&self, mut words: impl Iterator<Item = &'s Word>) -> Option<&'s str> {
        words.find_map(|word| word.parts.iter().find_map(|part| part_of(part, self.held)))
    }

    /// Whether the output of the command at `start` goes to a file.
    fn redirects(&self, start: usize) -> bool {
        let own = &self.tokens[start..end(self.tokens, start)];
        own.iter().enumerate().any(|(at, token)| match token.kind {
            TokenKind::Op(">" | ">>" | ">|" | "&>" | "&>>") => true,
            TokenKind::Op(">&") => {
                let target = own.get(at + 1).and_then(Token::word).and_then(Word::literal);
                !matches!(target, Some("1" | "2"))
            }
            _ => false,
        })
    }

    /// Whether the output of the command at `start` reaches the log, as far as its own line shows: `tee` passes it on.
    fn passes(&self, start: usize) -> bool {
        let at = end(self.tokens, start);
        if self.redirects(start) {
            return false;
        }
        if !is_op(self.tokens.get(at), &["|", "|&"]) {
            return true;
        }
        let consumer = next(self.tokens, at);
        program(&words(self.tokens, consumer)) == Some("tee") && self.passes(consumer)
    }

    /// Whether nothing around a command redirects its output, up to the calls of the function in which it appears.
    /// Functions in `seen` were examined already.
    fn is_open(&self, one: &Simple, seen: &mut Vec<usize>) -> bool {
        compounds(self.shape, one).all(|number| {
            let around = &self.shape.compounds[number];
            let passes = around.behind.is_some_and(|behind| self.passes(behind));
            passes && (!around.is_function || self.is_called(number, seen))
        })
    }

    fn is_called(&self, number: usize, seen: &mut Vec<usize>) -> bool {
        let bodies = self.shape.bodies();
        let Some((_, name)) = bodies.iter().find(|(own, _)| *own == number).filter(|_| !seen.contains(&number)) else {
            return false;
        };
        seen.push(number);
        let mut calls = self.shape.simple.iter().filter(|one| called(self.tokens, self.shape, one) == Some(name));
        calls.any(|call| self.passes(call.start) && self.is_open(call, seen))
    }

    /// The output of a command, if it prints a secret.
    fn said(&self, one: &Simple) -> Option<Shown> {
        let own = self.own(one);
        let name = program(&own).filter(|name| !self.shape.functions.contains(name))?;
        let rest = || own.iter().skip_while(|word| word.literal() != Some(name)).skip(1).copied();
        let literal: Vec<&str> = rest().map(|word| word.literal().unwrap_or_default()).collect();
        let by = || name.to_owned();
        let all = || Some((self.held.values().next()?.as_str(), How::Environment { by: by() }));
        let (secret, how) = match (name, literal.as_slice()) {
            ("env" | "printenv" | "set" | "export", [])
            | ("export", ["-p"])
            | ("declare" | "typeset", ["-p" | "-x" | "-px" | "-xp"]) => all()?,
            ("printenv", [name]) | ("declare" | "typeset", ["-p", name]) => {
                (self.held.get(*name)?.as_str(), How::Printed { by: by() })
            }
            ("printf", ["-v", ..]) => return None,
            // A precision truncates the value.
            ("printf", [format, ..]) if format.contains("%.") => return None,
            _ => (self.text(one)?, How::Printed { by: by() }),
        };
        let line = self.tokens[one.start].line;
        let is_shown = self.passes(one.start) && self.is_open(one, &mut Vec::new());
        is_shown.then(|| Shown { name: secret.to_owned(), line, how })
    }

    /// The secret in the text that a command passes on: its words, or its input.
    fn text(&self, one: &Simple) -> Option<&'s str> {
        let own = self.own(one);
        match program(&own)? {
            "echo" | "printf" => self.secret(own.iter().skip(1).copied()),
            // It shows its input, unless it has file arguments.
            "cat" if own.len() > 1 && own.get(1).and_then(|word| word.literal()) != Some("-") => None,
            "cat" | "tee" => {
                let region = &self.tokens[one.start..end(self.tokens, one.start)];
                let is_fed = |at: usize| at.checked_sub(1).is_some_and(|at| is_op(region.get(at), &["<<<"]));
                let fed = region.iter().enumerate().filter_map(|(at, token)| match &token.kind {
                    TokenKind::Heredoc(text) => Some(text),
                    TokenKind::Word(word) if is_fed(at) => Some(word),
                    _ => None,
                });
                self.secret(fed)
            }
            _ => None,
        }
    }

    /// The secret that a command writes to an output that is not secret.
    fn written(&self, one: &Simple, plain: &[&str]) -> Option<Shown> {
        let own = self.own(one);
        let at = end(self.tokens, one.start);
        let is_piped = is_op(self.tokens.get(at), &["|", "|&"]);
        let (secret, output) = if program(&own) == Some("wattle") {
            let mut rest = own.iter().skip_while(|word| word.literal() != Some("set")).skip(1).copied();
            let first = rest.next()?;
            let output = match first.parts.first() {
                Some(Part::Text { text, .. }) => text.split('=').next().unwrap_or_default(),
                _ => return None,
            };
            (self.secret(std::iter::once(first).chain(rest))?, output)
        } else {
            let is_to = |at: usize| is_op(self.tokens.get(at), &[">", ">>", ">|"]);
            let mut targets = (one.start..at).filter(|at| is_to(*at)).filter_map(|at| self.tokens.get(at + 1)?.word());
            let output = targets.find_map(|word| match word.parts.as_slice() {
                [Part::Var(path), Part::Text { text, .. }] if path == OUTPUTS_PATH => text.strip_prefix('.'),
                _ => None,
            })?;
            (self.text(one).filter(|_| !is_piped)?, output)
        };
        let how = How::Written { output: output.to_owned() };
        let line = self.tokens[one.start].line;
        plain.contains(&output).then(|| Shown { name: secret.to_owned(), line, how })
    }

    /// The first command that `set -x` shows with a secret.
    fn traced(&self, source: &str) -> Option<Shown> {
        let first = source.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
        // The trace may go to a file.
        let is_elsewhere = |word: &Word| assigned(word) == Some("BASH_XTRACEFD");
        if self.tokens.iter().filter_map(Token::word).any(is_elsewhere) {
            return None;
        }
        let mut is_on = first.split_ascii_whitespace().skip(1).any(|word| has_short(word, 'x'));
        self.shape.simple.iter().find_map(|one| {
            let own = words(self.tokens, one.start);
            let is_around = || compounds(self.shape, one).next().is_some();
            match option(&own, "xtrace", 'x') {
                Some(false) => is_on = false,
                Some(true) if !is_around() => is_on = true,
                _ => {}
            }
            let in_function = compounds(self.shape, one).any(|number| self.shape.compounds[number].is_function);
            let secret = self.secret(own.into_iter()).filter(|_| is_on && !in_function)?;
            let line = self.tokens[one.start].line;
            let is_shown = self.is_open(one, &mut Vec::new());
            is_shown.then(|| Shown { name: secret.to_owned(), line, how: How::Traced })
        })
    }
}
