//! Expansions: `$name`, `${…}`, `$(…)`, `` `…` `` and arithmetic.

use super::lexer::{Lexer, all_expanding};
use super::word::{Part, Token, TokenKind, Word};
use crate::analysis::SyntaxError;
use crate::names::{OUTPUTS_PATH, leading_identifier};

impl Lexer<'_> {
    /// Handles the text after a `$`.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), SyntaxError> {
        let rest = self.rest();
        if rest.starts_with("$((")
            && let Some(scripts) = self.arithmetic(3)?
        {
            word.parts.push(if scripts.is_empty() { Part::Unknown } else { Part::Script(scripts) });
        } else if rest.starts_with("$(") {
            self.at += 2;
            let script = self.script()?;
            word.parts.push(Part::Script(script));
        } else if rest.starts_with("${") {
            self.braces(word, quoted)?;
        } else if rest.starts_with("$'") && !quoted {
            self.at += 1;
            self.ansi_quoted(word)?;
        } else if rest.starts_with("$\"") && !quoted {
            self.at += 1;
            self.double_quoted(word)?;
        } else {
            self.at += 1;
            match parameter(self.rest()).to_owned() {
                name if name.is_empty() => word.push_char('$', quoted),
                name => {
                    self.at += name.len();
                    self.need(&name);
                    self.variable(word, name);
                }
            }
        }
        Ok(())
    }

    fn need(&mut self, name: &str) {
        if crate::names::is_identifier(name) {
            self.names.need(name, self.line);
        }
    }

    fn variable(&mut self, word: &mut Word, name: String) {
        if crate::names::is_identifier(&name) {
            self.found.read(name.as_str(), self.line);
        }
        word.parts.push(Part::Var(name));
    }

    /// `${…}`: its value is that of the variable if the rest only adds a default.
    fn braces(&mut self, word: &mut Word, quoted: bool) -> Result<(), SyntaxError> {
        let line = self.line;
        self.deeper()?;
        self.at += 2;
        if self.rest().starts_with('!') && !self.rest().starts_with("!}") {
            self.at += 1;
            self.found.dynamic_reads = true;
            self.braces_rest(line, quoted)?;
            word.parts.push(Part::Unknown);
        } else {
            let length = self.rest().starts_with('#') && !self.rest().starts_with("#}");
            self.at += usize::from(length);
            let name = parameter(self.rest()).to_owned();
            self.at += name.len();
            let value = !length && is_value(&name, self.rest());
            let is_folder = !length && is_folder(&name, self.rest());
            match self.rest().trim_start_matches(':').chars().next() {
                // A variable with a default may be absent, but may also be a misspelt input.
                Some('-' | '+') => self.names.ask(&name, line),
                Some('=') => self.names.set(&name),
                _ => self.need(&name),
            }
            self.variable(word, name);
            let rest = self.braces_rest(line, quoted)?;
            if is_folder {
                word.parts.pop();
                word.parts.push(Part::Folder { is_sure: true });
            } else if !value {
                word.parts.pop();
                word.parts.push(Part::Unknown);
            }
            let scripts = rest.parts.into_iter().filter(|part| matches!(part, Part::Script(_)));
            // A substitution in a default runs, so it must be walked; as a part it makes the value unknown.
            word.parts.extend(scripts);
        }
        self.depth -= 1;
        Ok(())
    }

    fn braces_rest(&mut self, line: u32, quoted: bool) -> Result<Word, SyntaxError> {
        let mut inner = Word { parts: Vec::new(), line };
        while let Some(c) = self.peek() {
            match c {
                '}' => {
                    self.bump();
                    return Ok(inner);
                }
                '\'' if !quoted => {
                    self.bump();
                    while self.bump().is_some_and(|c| c != '\'') {}
                }
                '"' => self.double_quoted(&mut inner)?,
                '\\' => {
                    self.bump();
                    self.bump();
                }
                _ => self.expanding(c, &mut inner)?,
            }
        }
        Err(SyntaxError::new(line, "`${` is never closed"))
    }

    pub(super) fn backticks(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        let line = self.line;
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('`') => break,
                Some('\\') => match self.bump() {
                    Some(c @ ('`' | '\\' | '$')) => text.push(c),
                    Some(c) => text.extend(['\\', c]),
                    None => {}
                },
                Some(c) => text.push(c),
                None => return Err(SyntaxError::new(line, "`` ` `` is never closed")),
            }
        }
        let script = self.nested(&text, line, |inner| inner.tokens(None))?;
        word.parts.push(Part::Script(script));
        Ok(())
    }

    /// `((…))`, whose opening has `opening` bytes; `None` if it turns out to be subshells.
    ///
    /// Every identifier in it counts as a variable. The tokens are those of the substitutions inside.
    pub(super) fn arithmetic(&mut self, opening: usize) -> Result<Option<Vec<Token>>, SyntaxError> {
        let start = self.at + opening;
        let Some(length) = self.arithmetic_length(start) else { return Ok(None) };
        let line = self.line;
        self.take(opening);
        let text = self.take(length);
        self.take(2);
        let word = self.nested(text, line, all_expanding)?;
        for part in &word.parts {
            if let Part::Text { text, .. } = part {
                super::arithmetic::variables(text, line, &mut self.found, &mut self.names);
            }
        }
        let holds_script = word.parts.iter().any(|part| matches!(part, Part::Script(_)));
        let token = Token { kind: TokenKind::Word(Word { parts: word.parts, line }), line };
        Ok(Some(if holds_script { vec![quiet(line), token] } else { Vec::new() }))
    }

    fn arithmetic_length(&mut self, start: usize) -> Option<usize> {
        let bytes = self.source.as_bytes().get(start..)?;
        let mut depth = 0_usize;
        for (at, byte) in bytes.iter().enumerate() {
            self.budget = self.budget.checked_sub(1)?;
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return (bytes.get(at + 1) == Some(&b')')).then_some(at),
                _ => {}
            }
        }
        self.budget = 0;
        None
    }
}

/// A command that stands for arithmetic: it does nothing, because only the substitutions in it matter. No real word has
/// this form.
pub(super) fn quiet(line: u32) -> Token {
    let parts = vec![Part::Text { text: "((".to_owned(), quoted: false }];
    Token { kind: TokenKind::Word(Word { parts, line }), line }
}

/// The parameter at the start of `text`: a name, a number (one digit without braces is sufficient here) or a sign.
fn parameter(text: &str) -> &str {
    match leading_identifier(text) {
        "" => {
            let digits = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
            if digits > 0 {
                &text[..1]
            } else {
                &text[..usize::from(text.starts_with(['@', '*', '#', '?', '-', '$', '!']))]
            }
        }
        name => name,
    }
}

/// Whether `${…}` is the folder of the script: `${0%/*}`, `${BASH_SOURCE[0]%/*}`.
fn is_folder(name: &str, rest: &str) -> bool {
    let rest = rest.strip_prefix("[0]").unwrap_or(rest);
    matches!(name, "0" | "BASH_SOURCE") && rest.starts_with("%/*}")
}

fn is_value(name: &str, rest: &str) -> bool {
    let default = [":-", "-", ":?", "?", ":=", "=", "[@]", "[*]", "[", "}"];
    default.iter().any(|operator| rest.starts_with(operator))
        // `${heat_outputs_path%/}` and similar expansions still are the prefix.
        || (name == OUTPUTS_PATH && !rest.starts_with([':', '/']))
}
