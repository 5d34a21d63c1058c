//! The tokens of structure: indentation, brackets, and markers of entries.

use super::{Error, KEY, Place, Scanner, Span, Syntax, Token, TokenKind};
use crate::yaml::syntax::tight_pair;

impl Scanner<'_> {
    /// Begins a collection at `column`, unless one that began there or further right is open. Its token is inserted before
    /// the token with the number `before`.
    fn open_indent(&mut self, column: i64, kind: TokenKind, place: Place, before: usize) {
        if self.is_block() && self.indent < column {
            self.indents.push(self.indent);
            self.indent = column;
            self.tokens.insert(before - self.taken, Token { kind, span: Span { start: place, end: place } });
        }
    }

    /// Ends the collections that are indented further than `column`.
    pub(super) fn close_indents(&mut self, column: i64) {
        if !self.is_block() {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.reader.place());
            self.indent = self.indents.pop().expect("INVARIANT: a collection is open where there is an indentation");
        }
    }

    fn pushed(&self) -> usize {
        self.taken + self.tokens.len()
    }

    pub(super) fn end(&mut self) -> Result<(), Error> {
        self.close_indents(-1);
        self.forget_last_key()?;
        self.key_allowed = false;
        self.push(TokenKind::End, self.reader.place());
        self.ended = true;
        Ok(())
    }

    pub(super) fn document_mark(&mut self) -> Result<(), Error> {
        self.close_indents(-1);
        self.forget_last_key()?;
        self.key_allowed = false;
        let start = self.reader.place();
        let kind = if self.reader.byte(0) == b'-' { TokenKind::DocumentStart } else { TokenKind::DocumentEnd };
        self.reader.skip(3);
        self.push(kind, start);
        Ok(())
    }

    /// A token of one character.
    fn indicator(&mut self, kind: TokenKind) {
        let start = self.reader.place();
        self.reader.skip(1);
        self.push(kind, start);
    }

    pub(super) fn open_bracket(&mut self, kind: TokenKind) -> Result<(), Error> {
        self.save_key()?;
        self.keys.push(None);
        self.key_allowed = true;
        self.indicator(kind);
        Ok(())
    }

    pub(super) fn close_bracket(&mut self, kind: TokenKind) -> Result<(), Error> {
        self.forget_last_key()?;
        if !self.is_block() {
            self.keys.pop();
        }
        self.key_allowed = false;
        self.indicator(kind);
        Ok(())
    }

    pub(super) fn comma(&mut self) -> Result<(), Error> {
        self.forget_last_key()?;
        self.key_allowed = true;
        self.indicator(TokenKind::Comma);
        Ok(())
    }

    pub(super) fn entry(&mut self) -> Result<(), Error> {
        if self.is_block() && !self.key_allowed {
            return Err(self.error(Syntax::Entry));
        }
        self.open_indent(self.reader.column(), TokenKind::BlockListStart, self.reader.place(), self.pushed());
        self.forget_last_key()?;
        self.key_allowed = true;
        self.indicator(TokenKind::Entry);
        Ok(())
    }

    pub(super) fn complex_key(&mut self) -> Result<(), Error> {
        if self.is_block() && !self.key_allowed {
            return Err(self.error(Syntax::ComplexKey));
        }
        self.open_indent(self.reader.column(), TokenKind::BlockMapStart, self.reader.place(), self.pushed());
        self.forget_last_key()?;
        self.key_allowed = self.is_block();
        self.indicator(TokenKind::Key);
        Ok(())
    }

    pub(super) fn value(&mut self) -> Result<(), Error> {
        if let Some(key) = self.last_key().take() {
            let span = Span { start: key.place, end: key.place };
            self.tokens.insert(key.token - self.taken, Token { kind: TokenKind::Key, span });
            self.open_indent(i64::from(key.place.column), TokenKind::BlockMapStart, key.place, key.token);
            self.key_allowed = false;
        } else {
            if self.is_block() && !self.key_allowed {
                return Err(self.stray_colon());
            }
            self.open_indent(self.reader.column(), TokenKind::BlockMapStart, self.reader.place(), self.pushed());
            self.key_allowed = self.is_block();
        }
        self.indicator(TokenKind::Value);
        Ok(())
    }

    /// The error for a `:` that does not belong to a key.
    fn stray_colon(&self) -> Error {
        let Some((scalar, at)) = self.scalar.filter(|(scalar, _)| scalar.end.line == self.reader.place().line) else {
            return self.error(Syntax::Colon);
        };
        if scalar.start.line == scalar.end.line {
            let long = scalar.end.column.saturating_sub(scalar.start.column) as usize > KEY;
            return self.error(if long { Syntax::LongKey } else { Syntax::SecondColon });
        }
        let first = self.reader.slice(at, self.reader.at()).split_whitespace().next().unwrap_or_default();
        let tight = tight_pair(first).is_some();
        self.error(Syntax::ColonInText { line: scalar.start.line + 1, tight }).with("the text begins", scalar)
    }
}
