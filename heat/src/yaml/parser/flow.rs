//! Lists and maps in flow style, that is in brackets.

use super::{Error, Event, EventKind, Parser, Place, Properties, Span, State, Syntax, TokenKind};

impl Parser<'_> {
    /// Skips the comma before all entries but the first.
    fn separator(&mut self, open: Place, first: bool, close: &TokenKind) -> Result<(), Error> {
        if first {
            return Ok(());
        }
        let token = self.scanner.peek()?;
        let (bracket, closing) = if *close == TokenKind::FlowListEnd { ('[', ']') } else { ('{', '}') };
        let opened = Span::of_one(open);
        match &token.kind {
            TokenKind::Comma => self.scanner.next().map(drop),
            TokenKind::End | TokenKind::DocumentStart | TokenKind::DocumentEnd => {
                Err(Error::new(Syntax::Bracket(bracket), opened))
            }
            found => {
                let problem = Syntax::Separator { close: closing, found: found.name() };
                Err(Error::new(problem, token.span).with(&format!("the `{bracket}` opens"), opened))
            }
        }
    }

    pub(super) fn flow_entry(&mut self, open: Place, first: bool) -> Result<Event, Error> {
        if *self.peek()? != TokenKind::FlowListEnd {
            self.separator(open, first, &TokenKind::FlowListEnd)?;
            match self.peek()? {
                TokenKind::Key => {
                    self.states.push(State::FlowEntry { open, first: false });
                    self.states.push(State::PairKey);
                    return self.take(EventKind::MapStart(Properties::default()));
                }
                TokenKind::FlowListEnd => {}
                _ => {
                    self.states.push(State::FlowEntry { open, first: false });
                    return self.value(false, false);
                }
            }
        }
        self.take(EventKind::ListEnd)
    }

    pub(super) fn pair_key(&mut self) -> Result<Event, Error> {
        self.states.push(State::PairValue);
        match self.peek()? {
            // libyaml skips this token, whatever it is, so it is missing afterwards.
            TokenKind::Value | TokenKind::Comma | TokenKind::FlowListEnd => {
                let at = self.scanner.next()?.span.end;
                Ok(Self::nothing(at))
            }
            _ => self.value(false, false),
        }
    }

    pub(super) fn pair_value(&mut self) -> Result<Event, Error> {
        self.states.push(State::PairEnd);
        if *self.peek()? == TokenKind::Value {
            self.scanner.next()?;
            if !matches!(self.peek()?, TokenKind::Comma | TokenKind::FlowListEnd) {
                return self.value(false, false);
            }
        }
        self.nothing_here()
    }

    pub(super) fn pair_end(&mut self) -> Result<Event, Error> {
        let at = self.scanner.peek()?.span.start;
        Ok(Event { kind: EventKind::MapEnd, span: Span { start: at, end: at } })
    }

    pub(super) fn flow_key(&mut self, open: Place, first: bool) -> Result<Event, Error> {
        if *self.peek()? != TokenKind::FlowMapEnd {
            self.separator(open, first, &TokenKind::FlowMapEnd)?;
            match self.peek()? {
                TokenKind::Key => {
                    self.scanner.next()?;
                    self.states.push(State::FlowKey { open, first: false });
                    self.states.push(State::FlowValue);
                    return match self.peek()? {
                        TokenKind::Value | TokenKind::Comma | TokenKind::FlowMapEnd => self.nothing_here(),
                        _ => self.value(false, false),
                    };
                }
                TokenKind::FlowMapEnd => {}
                _ => {
                    self.states.push(State::FlowKey { open, first: false });
                    self.states.push(State::NoFlowValue);
                    return self.value(false, false);
                }
            }
        }
        self.take(EventKind::MapEnd)
    }

    pub(super) fn flow_value(&mut self) -> Result<Event, Error> {
        if *self.peek()? == TokenKind::Value {
            self.scanner.next()?;
            if !matches!(self.peek()?, TokenKind::Comma | TokenKind::FlowMapEnd) {
                return self.value(false, false);
            }
        }
        self.nothing_here()
    }
}
