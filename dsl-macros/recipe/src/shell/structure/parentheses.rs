//! Parentheses: subshells, and those of arrays and extended patterns.

use crate::analysis::SyntaxError;
use crate::shell::word::{Part, Token, TokenKind};

use super::{Checker, Compound, State};

impl Checker<'_> {
    pub(super) fn parenthesis(&mut self, line: u32) -> Result<(), SyntaxError> {
        match self.state {
            State::Start | State::Operand(_) => {
                self.begun = self.at - 1;
                self.begin(Compound::Paren, line);
            }
            State::Tested => self.skip_parenthesis(),
            State::Words if self.behind_pattern() => self.skip_parenthesis(),
            _ => return Err(SyntaxError::new(line, "unexpected `(` within a command")),
        }
        Ok(())
    }

    /// Whether the previous word continues with a `(`: an array or an extended pattern.
    pub(super) fn behind_pattern(&self) -> bool {
        // This is called both with the `(` already read and with it next.
        let before = if self.is_op("(") { 1 } else { 2 };
        let Some(Token { kind: TokenKind::Word(word), .. }) =
            self.at.checked_sub(before).and_then(|at| self.tokens.get(at))
        else {
            return self.state == State::Words && before == 2;
        };
        match word.parts.last() {
            Some(Part::Text { text, quoted: false }) => text.ends_with(['=', '?', '*', '+', '@', '!']),
            _ => false,
        }
    }

    pub(super) fn skip_parenthesis(&mut self) {
        let mut depth = 1_u32;
        while let Some(token) = self.tokens.get(self.at).filter(|_| depth > 0) {
            self.at += 1;
            match token.kind {
                TokenKind::Op("(") => depth += 1,
                TokenKind::Op(")") => depth -= 1,
                _ => {}
            }
        }
    }

    pub(super) fn close_parenthesis(&mut self, line: u32) -> Result<(), SyntaxError> {
        if self.open.last().is_none_or(|open| open.kind != Compound::Paren) {
            return Err(self.stray(")", line));
        }
        if self.empty {
            return Err(SyntaxError::new(line, "there is no command between `(` and `)`"));
        }
        if let State::Operand(op) = self.state {
            return Err(SyntaxError::new(line, format!("there is no command between `{op}` and `)`")));
        }
        self.end();
        Ok(())
    }
}
