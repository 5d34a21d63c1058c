//! Access to the next tokens.

use crate::shell::word::{Token, TokenKind, Word};

use super::Checker;

impl<'t> Checker<'t> {
    /// The text of the word at `at`, if nothing in it expands.
    pub(super) fn literal(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at) {
            Some(Token { kind: TokenKind::Word(word), .. }) => Word::literal(word),
            _ => None,
        }
    }

    /// The next token, if it is an unquoted word.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some(Token { kind: TokenKind::Word(word), .. }) => word.bare(),
            _ => None,
        }
    }

    pub(super) fn is_word(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token { kind: TokenKind::Word(_), .. }))
    }

    pub(super) fn is_op(&self, op: &str) -> bool {
        self.op_at(self.at) == Some(op)
    }

    pub(super) fn op_at(&self, at: usize) -> Option<&'static str> {
        match self.tokens.get(at) {
            Some(Token { kind: TokenKind::Op(op), .. }) => Some(op),
            _ => None,
        }
    }

    /// Skips the substitutions of `((…))`, which follow it as a word.
    pub(super) fn skip_arithmetic(&mut self) {
        self.at += usize::from(self.is_word() && self.bare().is_none());
    }

    pub(super) fn skip_newlines(&mut self) {
        while matches!(self.tokens.get(self.at), Some(Token { kind: TokenKind::Newline, .. })) {
            self.at += 1;
        }
    }
}
