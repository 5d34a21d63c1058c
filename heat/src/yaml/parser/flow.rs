//! Lists and maps in flow style, that is in brackets.

use super::{Error, Event, EventKind, Kind, Parser, Place, Properties, Span, State, Syntax};

impl Parser<'_> {
    /// Skips the comma before all entries but the first.
    fn separator(&mut self, open: Place, first: bool, close: &Kind) -> Result<(), Error> {
        if first {
            return Ok(());
        }
        let token = self.scanner.peek()?;
        let (bracket, closing) = if *close == Kind::FlowListEnd { ('[', ']') } else { ('{', '}') };
        let opened = Span::of_one(open);
        match &token.kind {
            Kind::Comma => self.scanner.next().map(drop),
            Kind::End | Kind::DocumentStart | Kind::DocumentEnd => Err(Error::new(Syntax::Bracket(bracket), opened)),
            found => {
                let problem = Syntax::Separator { close: closing, found: found.name() };
                Err(Error::new(problem, token.span).with(&format!("the `{bracket}` opens"), opened))
            }
        }
    }

    pub(super) fn flow_entry(&mut self, open: Place, first: bool) -> Result<Event, Error> {
        if *self.peek()? != Kind::FlowListEnd {
            self.separator(open, first, &Kind::FlowListEnd)?;
            match self.peek()? {
                Kind::Key => {
                    self.states.push(State::FlowEntry { open, first: false });
                    self.states.push(State::PairKey);
                    return self.take(EventKind::MapStart(Properties::default()));
                }
                Kind::FlowListEnd => {}
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
            Kind::Value | Kind::Comma | Kind::FlowListEnd => {
                let at = self.scanner.next()?.span.end;
                Ok(Self::nothing(at))
            }
            _ => self.value(false, false),
        }
    }

    pub(super) fn pair_value(&mut self) -> Result<Event, Error> {
        self.states.push(State::PairEnd);
        if *self.peek()? == Kind::Value {
            self.scanner.next()?;
            if !matches!(self.peek()?, Kind::Comma | Kind::FlowListEnd) {
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
        if *self.peek()? != Kind::FlowMapEnd {
            self.separator(open, first, &Kind::FlowMapEnd)?;
            match self.peek()? {
                Kind::Key => {
                    self.scanner.next()?;
                    self.states.push(State::FlowKey { open, first: false });
                    self.states.push(State::FlowValue);
                    return match self.peek()? {
                        Kind::Value | Kind::Comma | Kind::FlowMapEnd => self.nothing_here(),
                        _ => self.value(false, false),
                    };
                }
                Kind::FlowMapEnd => {}
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
        if *self.peek()? == Kind::Value {
            self.scanner.next()?;
            if !matches!(self.peek()?, Kind::Comma | Kind::FlowMapEnd) {
                return self.value(false, false);
            }
        }
        self.nothing_here()
    }
}
