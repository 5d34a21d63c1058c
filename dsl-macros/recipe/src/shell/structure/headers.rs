//! The heads of loops, and the words between `case` and its commands.

use crate::analysis::SyntaxError;
use crate::shell::word::{TokenKind, Word};

use super::{Checker, Compound, Head, State};

impl Checker<'_> {
    /// From after `for` to its `do`.
    pub(super) fn loop_header(&mut self, kind: Compound, line: u32) -> Result<(), SyntaxError> {
        let opening = kind.opening();
        if !self.is_word() {
            return Err(SyntaxError::new(line, format!("`{opening}` does not name a variable")));
        }
        let (start, arithmetic) = (self.begun, self.bare() == Some("(("));
        self.at += 1;
        if arithmetic {
            self.skip_arithmetic();
        }
        self.skip_newlines();
        if self.bare() == Some("in") {
            let mut depth = 0_u32;
            while let Some(token) = self.tokens.get(self.at) {
                match token.kind {
                    TokenKind::Op("(") => depth += 1,
                    TokenKind::Op(")") if depth > 0 => depth -= 1,
                    TokenKind::Word(_) => {}
                    TokenKind::Op(_) if depth > 0 => {}
                    _ => break,
                }
                self.at += 1;
            }
        }
        self.shape.heads.push(Head { start, end: self.at });
        if self.is_op(";") {
            self.at += 1;
        }
        self.skip_newlines();
        match self.bare() {
            Some("do") => {
                self.push(kind, line, "do");
                self.at += 1;
                self.list();
                Ok(())
            }
            // Bash accepts braces in place of `do` and `done`.
            Some("{") => {
                self.at += 1;
                self.begin(Compound::Brace, line);
                Ok(())
            }
            _ => Err(SyntaxError::new(line, format!("`{opening}` has no `do`"))),
        }
    }

    /// From after `case` to its first pattern.
    pub(super) fn case(&mut self, line: u32) -> Result<(), SyntaxError> {
        if !self.is_word() {
            return Err(SyntaxError::new(line, "`case` has no word"));
        }
        self.at += 1;
        self.shape.heads.push(Head { start: self.begun, end: self.at });
        self.skip_newlines();
        if self.bare() != Some("in") {
            return Err(SyntaxError::new(line, "`case` has no `in`"));
        }
        self.at += 1;
        self.begin(Compound::Case, line);
        self.state = State::Pattern;
        Ok(())
    }

    /// The first word of a pattern of `case`, or `esac`.
    pub(super) fn pattern(&mut self, word: &Word, line: u32) -> Result<(), SyntaxError> {
        if word.bare() == Some("esac") {
            self.end();
            return Ok(());
        }
        self.rest_of_pattern(true, line)
    }

    /// Reads up to the `)` of a pattern. Extended patterns contain their own parentheses.
    pub(super) fn rest_of_pattern(&mut self, mut behind_word: bool, line: u32) -> Result<(), SyntaxError> {
        let mut depth = 0_u32;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token.kind {
                TokenKind::Op("(") => depth += 1,
                TokenKind::Op(")") if depth == 0 => {
                    self.list();
                    return Ok(());
                }
                TokenKind::Op(")") => depth -= 1,
                TokenKind::Word(_) if behind_word && depth == 0 => break,
                TokenKind::Op("|") | TokenKind::Word(_) => {}
                TokenKind::Newline if depth > 0 => {}
                _ => break,
            }
            behind_word = matches!(token.kind, TokenKind::Word(_));
        }
        Err(SyntaxError::new(line, "a pattern of `case` has no `)`"))
    }

    pub(super) fn end_of_case(&mut self, op: &str, line: u32) -> Result<(), SyntaxError> {
        if self.open.last().is_none_or(|open| open.kind != Compound::Case) {
            return Err(self.stray(op, line));
        }
        if let State::Operand(first) = self.state {
            return Err(SyntaxError::new(line, format!("there is no command between `{first}` and `{op}`")));
        }
        self.state = State::Pattern;
        Ok(())
    }
}
