//! Lists and maps in block style.

use super::{Error, Event, EventKind, Parser, Place, State, Syntax, TokenKind};

impl Parser<'_> {
    pub(super) fn block_entry(&mut self, start: Place) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::Entry => {
                let at = self.scanner.next()?.span.end;
                self.states.push(State::BlockEntry(start));
                match self.peek()? {
                    TokenKind::Entry | TokenKind::BlockEnd => Ok(Self::nothing(at)),
                    _ => self.value(true, false),
                }
            }
            TokenKind::BlockEnd => self.take(EventKind::ListEnd),
            _ => Err(self.misplaced("list", "a further entry of the list (`- `)", start)?),
        }
    }

    pub(super) fn unindented_entry(&mut self) -> Result<Event, Error> {
        if *self.peek()? != TokenKind::Entry {
            let at = self.scanner.peek()?.span.start;
            return Ok(Event { kind: EventKind::ListEnd, span: super::Span { start: at, end: at } });
        }
        let at = self.scanner.next()?.span.end;
        self.states.push(State::UnindentedEntry);
        match self.peek()? {
            TokenKind::Entry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => Ok(Self::nothing(at)),
            _ => self.value(true, false),
        }
    }

    pub(super) fn block_key(&mut self, start: Place) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::Key => {
                let at = self.scanner.next()?.span.end;
                self.states.push(State::BlockValue(start));
                match self.peek()? {
                    TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => Ok(Self::nothing(at)),
                    _ => self.value(true, true),
                }
            }
            TokenKind::BlockEnd => self.take(EventKind::MapEnd),
            _ => Err(self.misplaced("map", "a further entry of the map (`key: value`)", start)?),
        }
    }

    pub(super) fn block_value(&mut self, start: Place) -> Result<Event, Error> {
        self.states.push(State::BlockKey(start));
        if *self.peek()? != TokenKind::Value {
            return self.nothing_here();
        }
        let at = self.scanner.next()?.span.end;
        match self.peek()? {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => Ok(Self::nothing(at)),
            _ => self.value(true, true),
        }
    }

    /// The error for a token that continues neither the collection that began at `start` nor one around it.
    fn misplaced(&mut self, what: &'static str, expected: &'static str, start: Place) -> Result<Error, Error> {
        let token = self.scanner.peek()?;
        let here = token.span.start;
        let begins = matches!(token.kind, TokenKind::BlockMapStart | TokenKind::BlockListStart);
        let span = super::Span { start, end: start };
        if begins && here.column > start.column {
            let problem = Syntax::Indentation { column: here.column, expected: start.column, what };
            return Ok(Error::new(problem, super::Span::of_one(here)).with(&format!("the {what} begins"), span));
        }
        let error = self.unexpected(expected)?;
        Ok(if error.context.is_some() { error } else { error.with(&format!("the {what} begins"), span) })
    }
}
