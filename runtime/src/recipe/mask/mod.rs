//! Keeps secrets out of logs and failures.
//!
//! Control characters are removed from a recipe's output first (`plain`). It is then searched for the secrets that the
//! recipe received or has written, each in the forms in which programs print it (`forms`); of a secret with several
//! lines, each line too. This module finds them in a stream. It does not stop a recipe that prints a secret in another
//! form.

mod forms;
mod plain;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use wattle::model::{Type, Value};
use wattle::values;

use super::{RecipeRun, secret};
use forms::{Ends, Form};
use plain::Plain;

/// The text that replaces a secret.
const MASKED: &[u8] = b"***";
/// A secret shorter than this is masked only as a separate word: otherwise it would be found within many other words.
const SHORT: usize = 4;

/// Masks secrets in a stream of bytes, wherever it is cut, and in texts.
#[derive(Clone, Default)]
pub struct Mask {
    known: HashSet<Arc<Form>>,
    // By the bytes with which they may begin.
    long: Vec<Vec<Arc<Form>>>,
    // Of less than `SHORT` bytes.
    short: Vec<Vec<u8>>,
    plain: Plain,
    // Text that may turn out to be the beginning of a secret, and what came before it.
    held: Vec<u8>,
    before: Option<u8>,
    // The number of characters of its line before the held text.
    column: usize,
    has_found: bool,
}

/// The result of a search at a position.
enum Found {
    Nothing,
    /// A secret that ends there.
    Secret(usize),
    /// More input is needed to decide.
    Perhaps,
}

impl Mask {
    /// Creates a mask for the secrets among the inputs of `job`.
    pub fn of(job: &RecipeRun) -> Self {
        let mut mask = Self::default();
        for (name, value) in &job.inputs {
            if let Some(input) = job.component.inputs.get(name) {
                mask.add_secrets(&input.ty, value);
            }
        }
        mask
    }

    /// Creates a mask for this secret, but not for its lines.
    pub(super) fn of_whole(secret: &str) -> Self {
        let mut mask = Self::default();
        Form::of(secret).into_iter().filter(|form| !form.is_empty()).for_each(|form| mask.add_form(form));
        mask
    }

    /// Whether there is a secret in `text`.
    pub(super) fn finds(&self, text: &str) -> bool {
        self.search(text, &mut Vec::new())
    }

    /// Whether it has found a secret so far.
    pub(super) fn has_found(&self) -> bool {
        self.has_found
    }

    /// Adds the parts of `value` that are secret by their type.
    pub fn add_secrets(&mut self, ty: &Type, value: &Value) {
        secret::secrets(ty, value).for_each(|secret| self.add_value(secret));
    }

    /// Adds each text and number in `value`.
    pub fn add(&mut self, value: &Value) {
        self.add_secrets(&Type::Hidden(Box::new(Type::Any)), value);
    }

    fn add_value(&mut self, secret: &Value) {
        let text = values::text(secret);
        self.add_text(&text);
        let plain = Plain::of(text.as_bytes());
        if plain != text.as_bytes() {
            self.add_text(&String::from_utf8_lossy(&plain));
        }
    }

    /// Adds the text of a secret, and those of its lines that are long enough.
    pub(super) fn add_text(&mut self, secret: &str) {
        if secret.len() < SHORT {
            if !secret.is_empty() && !self.short.iter().any(|short| short == secret.as_bytes()) {
                self.short.push(secret.as_bytes().to_vec());
            }
            return;
        }
        let lines = secret.lines().chain([secret]).map(str::trim).filter(|line| line.len() >= SHORT);
        for text in lines.chain([secret]) {
            Form::of(text).into_iter().filter(|form| !form.is_empty()).for_each(|form| self.add_form(form));
        }
    }

    fn add_form(&mut self, form: Form) {
        let form = Arc::new(form);
        if !self.known.insert(Arc::clone(&form)) {
            return;
        }
        self.long.resize(256, Vec::new());
        for byte in form.begins_with() {
            self.long[usize::from(byte)].push(Arc::clone(&form));
        }
    }

    /// Masks the secrets in `text`.
    pub fn text(&self, text: &str) -> String {
        let mut out = Vec::with_capacity(text.len());
        self.search(text, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Appends the masked `text` to `out`, and returns whether it contained a secret.
    fn search(&self, text: &str, out: &mut Vec<u8>) -> bool {
        let mut mask = Self {
            held: Vec::new(),
            before: None,
            column: 0,
            plain: Plain::default(),
            has_found: false,
            ..self.clone()
        };
        mask.push(text.as_bytes(), out);
        mask.finish(out);
        mask.has_found
    }

    /// Masks `bytes`, which continue those of the previous call, and appends them to `out`. A possible beginning of a
    /// secret is held back until more is known.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut plain = Vec::with_capacity(bytes.len());
        self.plain.push(bytes, &mut plain);
        self.pass(&plain, false, out);
    }

    /// Appends the text that was held back, at the end of the stream.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let mut plain = Vec::new();
        self.plain.finish(&mut plain);
        self.pass(&plain, true, out);
    }

    fn pass(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) {
        if self.known.is_empty() && self.short.is_empty() {
            out.append(&mut self.held);
            out.extend_from_slice(bytes);
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut begins = [false; 256];
        self.long.iter().zip(&mut begins).for_each(|(forms, begins)| *begins = !forms.is_empty());
        self.short.iter().filter_map(|short| short.first()).for_each(|byte| begins[usize::from(*byte)] = true);
        let mut at = 0;
        while at < text.len() {
            let plain = text[at..].iter().take_while(|byte| !begins[usize::from(**byte)]).count();
            if plain > 0 {
                out.extend_from_slice(&text[at..at + plain]);
                at += plain;
                self.before = Some(text[at - 1]);
                continue;
            }
            match self.find(&text, at, last) {
                Found::Nothing => {
                    out.push(text[at]);
                    self.before = Some(text[at]);
                    at += 1;
                }
                Found::Secret(end) => {
                    out.extend_from_slice(MASKED);
                    self.has_found = true;
                    self.before = Some(text[end - 1]);
                    at = end;
                }
                Found::Perhaps => break,
            }
        }
        let line = text[..at].iter().rev().take_while(|byte| **byte != b'\n').count();
        self.column = if line < at { line } else { self.column.saturating_add(line) };
        text.drain(..at);
        self.held = text;
    }

    /// Finds a secret that begins at `at`, including those that overlap it.
    fn find(&self, text: &[u8], at: usize, last: bool) -> Found {
        let mut end = match self.longest(text, at, self.before, last) {
            Found::Secret(end) => end,
            other => return other,
        };
        let mut inside = at + 1;
        while inside < end {
            match self.longest(text, inside, Some(text[inside - 1]), last) {
                Found::Secret(further) => end = end.max(further),
                Found::Perhaps => return Found::Perhaps,
                Found::Nothing => {}
            }
            inside += 1;
        }
        Found::Secret(end)
    }

    fn longest(&self, text: &[u8], at: usize, before: Option<u8>, last: bool) -> Found {
        let forms = self.long.get(usize::from(text[at])).into_iter().flatten();
        let mut end = None;
        for form in forms {
            let Ends { last: found, may_go_on } = form.ends(text, at, self.column);
            if may_go_on && !last {
                return Found::Perhaps;
            }
            end = end.max(found);
        }
        match end {
            Some(end) => Found::Secret(end),
            None => self.alone(&text[at..], at, before, last),
        }
    }

    fn alone(&self, rest: &[u8], at: usize, before: Option<u8>, last: bool) -> Found {
        if before.is_some_and(is_word) {
            return Found::Nothing;
        }
        for short in &self.short {
            if rest.starts_with(short) {
                match rest.get(short.len()) {
                    Some(next) if is_word(*next) => {}
                    None if !last => return Found::Perhaps,
                    _ => return Found::Secret(at + short.len()),
                }
            } else if !last && short.starts_with(rest) {
                return Found::Perhaps;
            }
        }
        Found::Nothing
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({} not shown)", self.known.len() + self.short.len())
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
