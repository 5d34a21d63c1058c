//! The start and the end of documents.

use super::{Error, Event, EventKind, Parser, Span, State, Syntax, TokenKind};
use crate::yaml::Problem;

impl Parser<'_> {
    pub(super) fn first_document(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::Version { .. } | TokenKind::TagPrefix { .. } | TokenKind::DocumentStart | TokenKind::End => {
                self.next_document()
            }
            _ => {
                self.directives()?;
                let at = self.scanner.peek()?.span.start;
                self.begin = at;
                self.states.push(State::DocumentEnd);
                self.states.push(State::Bare);
                Ok(Event { kind: EventKind::Document, span: Span { start: at, end: at } })
            }
        }
    }

    pub(super) fn next_document(&mut self) -> Result<Event, Error> {
        let mut ended = false;
        while *self.peek()? == TokenKind::DocumentEnd {
            self.scanner.next()?;
            ended = true;
        }
        if *self.peek()? == TokenKind::End {
            return self.take(EventKind::End);
        }
        self.directives()?;
        if *self.peek()? != TokenKind::DocumentStart {
            let span = self.scanner.peek()?.span;
            let error = if ended {
                Error::new(Problem::SecondDocument, span)
            } else if span.start.line > self.begin.line && span.start.column < self.begin.column {
                let first = Span { start: self.begin, end: self.begin };
                Error::new(Syntax::Outside, span).with("the first document begins", first)
            } else {
                self.unexpected("the end of the text")?
            };
            return Err(error);
        }
        self.states.push(State::DocumentEnd);
        self.states.push(State::Content);
        self.take(EventKind::Document)
    }

    pub(super) fn content(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::Version { .. }
            | TokenKind::TagPrefix { .. }
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::End => self.nothing_here(),
            _ => {
                self.begin = self.scanner.peek()?.span.start;
                self.value(true, false)
            }
        }
    }

    pub(super) fn document_end(&mut self) -> Result<Event, Error> {
        if *self.peek()? == TokenKind::DocumentEnd {
            self.scanner.next()?;
        }
        self.next_document()
    }

    fn directives(&mut self) -> Result<(), Error> {
        let mut versioned = false;
        self.tags.clear();
        loop {
            let fail = |problem, span| Err(Error::new(problem, span));
            match self.peek()? {
                TokenKind::Version { .. } => {
                    let token = self.scanner.next()?;
                    let TokenKind::Version { major, minor } = token.kind else { unreachable!("seen") };
                    if versioned {
                        return fail(Syntax::DirectiveForm("`%YAML` appears twice"), token.span);
                    }
                    if (major, minor) != (1, 1) && (major, minor) != (1, 2) {
                        return fail(Syntax::Version { major, minor }, token.span);
                    }
                    versioned = true;
                }
                TokenKind::TagPrefix { .. } => {
                    let token = self.scanner.next()?;
                    let TokenKind::TagPrefix { handle, prefix } = token.kind else { unreachable!("seen") };
                    if self.tags.insert(handle, prefix).is_some() {
                        return fail(Syntax::DirectiveForm("`%TAG` defines this handle twice"), token.span);
                    }
                }
                _ => break,
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            self.tags.entry(handle.to_owned()).or_insert_with(|| prefix.to_owned());
        }
        Ok(())
    }
}
