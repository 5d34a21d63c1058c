//! From tokens to events, which mark the start and the end of collections in source order.
//!
//! The grammar is libyaml's. Expectations are on a stack of states, so that the nesting of the text does not nest calls.

mod block;
mod document;
mod flow;

use std::collections::HashMap;

use super::scanner::Scanner;
use super::token::{Token, TokenKind};
use super::{Comment, Error, Place, Span, Syntax, Tree};

/// The beginning or the end of something, or a value, at a place.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) span: Span,
}

/// The kinds of events.
#[derive(Debug)]
pub(super) enum EventKind {
    /// A document begins.
    Document,
    /// The text ends.
    End,
    Alias(String),
    Scalar {
        text: String,
        /// Whether its text determines its type.
        plain: bool,
        properties: Properties,
    },
    /// A value whose type the grammar determines.
    Value(Tree),
    ListStart(Properties),
    MapStart(Properties),
    ListEnd,
    MapEnd,
}

/// The properties of a value.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) anchor: Option<String>,
    /// In full form.
    pub(super) tag: Option<String>,
}

/// The states of the parser.
#[derive(Clone, Copy, Debug)]
enum State {
    FirstDocument,
    /// The value of a document without `---`.
    Bare,
    /// After `---`.
    Content,
    DocumentEnd,
    /// An entry of a block list that began there.
    BlockEntry(Place),
    /// The same, for a list that is not indented further than the key that it belongs to.
    UnindentedEntry,
    BlockKey(Place),
    BlockValue(Place),
    /// An entry of a flow list that began there.
    FlowEntry {
        open: Place,
        first: bool,
    },
    /// The parts of a `[key: value]`.
    PairKey,
    PairValue,
    PairEnd,
    FlowKey {
        open: Place,
        first: bool,
    },
    FlowValue,
    /// After an entry in `{}` that has no value.
    NoFlowValue,
}

/// Produces events.
#[derive(Debug)]
pub(super) struct Parser<'t> {
    scanner: Scanner<'t>,
    states: Vec<State>,
    /// The prefixes of tags, and their expansions.
    tags: HashMap<String, String>,
    /// The last quoted text.
    quoted: Option<Span>,
    /// The start of the document's value.
    begin: Place,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, Error> {
        let states = vec![State::FirstDocument];
        Ok(Self { scanner: Scanner::new(text)?, states, tags: HashMap::new(), quoted: None, begin: Place::default() })
    }

    /// The comments of the text read so far.
    pub(super) fn into_comments(self) -> Vec<Comment> {
        self.scanner.into_comments()
    }

    pub(super) fn next(&mut self) -> Result<Event, Error> {
        match self.states.pop() {
            None => Ok(Event { kind: EventKind::End, span: self.scanner.peek()?.span }),
            Some(State::FirstDocument) => self.first_document(),
            Some(State::Bare) => self.value(true, false),
            Some(State::Content) => self.content(),
            Some(State::DocumentEnd) => self.document_end(),
            Some(State::BlockEntry(start)) => self.block_entry(start),
            Some(State::UnindentedEntry) => self.unindented_entry(),
            Some(State::BlockKey(start)) => self.block_key(start),
            Some(State::BlockValue(start)) => self.block_value(start),
            Some(State::FlowEntry { open, first }) => self.flow_entry(open, first),
            Some(State::PairKey) => self.pair_key(),
            Some(State::PairValue) => self.pair_value(),
            Some(State::PairEnd) => self.pair_end(),
            Some(State::FlowKey { open, first }) => self.flow_key(open, first),
            Some(State::FlowValue) => self.flow_value(),
            Some(State::NoFlowValue) => self.nothing_here(),
        }
    }

    fn peek(&mut self) -> Result<&TokenKind, Error> {
        self.scanner.peek().map(|token| &token.kind)
    }

    /// Consumes the next token as an event of this kind.
    fn take(&mut self, kind: EventKind) -> Result<Event, Error> {
        Ok(Event { kind, span: self.scanner.next()?.span })
    }

    /// An empty value at a place.
    fn nothing(at: Place) -> Event {
        let kind = EventKind::Scalar { text: String::new(), plain: true, properties: Properties::default() };
        Event { kind, span: Span { start: at, end: at } }
    }

    /// An empty value before the next token.
    fn nothing_here(&mut self) -> Result<Event, Error> {
        Ok(Self::nothing(self.scanner.peek()?.span.start))
    }

    /// A value. In block style it can be delimited by indentation. As the value of a map, it can be a list that is not
    /// indented.
    fn value(&mut self, block: bool, unindented: bool) -> Result<Event, Error> {
        let mut span = self.scanner.peek()?.span;
        span.end = span.start;
        let properties = match self.peek()? {
            TokenKind::Alias(_) => {
                let Token { kind: TokenKind::Alias(name), span } = self.scanner.next()? else { unreachable!("seen") };
                return Ok(Event { kind: EventKind::Alias(name), span });
            }
            _ => self.properties(&mut span)?,
        };
        let token = self.scanner.peek()?;
        let kind = match &token.kind {
            TokenKind::Entry if unindented => {
                span.end = token.span.end;
                self.states.push(State::UnindentedEntry);
                EventKind::ListStart(properties)
            }
            TokenKind::Scalar { .. } => return self.scalar(properties, span.start),
            TokenKind::FlowListStart => {
                span.end = token.span.end;
                self.states.push(State::FlowEntry { open: token.span.start, first: true });
                self.scanner.next()?;
                EventKind::ListStart(properties)
            }
            TokenKind::FlowMapStart => {
                span.end = token.span.end;
                self.states.push(State::FlowKey { open: token.span.start, first: true });
                self.scanner.next()?;
                EventKind::MapStart(properties)
            }
            TokenKind::BlockListStart if block => {
                self.states.push(State::BlockEntry(token.span.start));
                self.scanner.next()?;
                EventKind::ListStart(properties)
            }
            TokenKind::BlockMapStart if block => {
                self.states.push(State::BlockKey(token.span.start));
                self.scanner.next()?;
                EventKind::MapStart(properties)
            }
            _ if properties.anchor.is_some() || properties.tag.is_some() => {
                let plain = properties.tag.is_none();
                EventKind::Scalar { text: String::new(), plain, properties }
            }
            _ => return Err(self.unexpected("a value")?),
        };
        Ok(Event { kind, span })
    }

    fn scalar(&mut self, properties: Properties, start: Place) -> Result<Event, Error> {
        let Token { kind: TokenKind::Scalar { text, plain }, span } = self.scanner.next()? else {
            unreachable!("seen")
        };
        if !plain {
            self.quoted = Some(span);
        }
        let plain = match properties.tag.as_deref() {
            // As in libyaml, a `!` removes the meaning of quotes.
            Some("!") => true,
            Some(_) => false,
            None => plain,
        };
        Ok(Event { kind: EventKind::Scalar { text, plain, properties }, span: Span { start, end: span.end } })
    }

    /// An anchor and a tag, each at most once.
    fn properties(&mut self, span: &mut Span) -> Result<Properties, Error> {
        let mut properties = Properties::default();
        loop {
            match self.peek()? {
                TokenKind::Anchor(_) if properties.anchor.is_none() => {
                    let token = self.scanner.next()?;
                    span.end = token.span.end;
                    let TokenKind::Anchor(name) = token.kind else { unreachable!("seen") };
                    properties.anchor = Some(name);
                }
                TokenKind::Tag { .. } if properties.tag.is_none() => {
                    let token = self.scanner.next()?;
                    span.end = token.span.end;
                    properties.tag = Some(self.full_tag(token)?);
                }
                _ => return Ok(properties),
            }
        }
    }

    fn full_tag(&self, token: Token) -> Result<String, Error> {
        let TokenKind::Tag { handle, suffix } = token.kind else { unreachable!("a tag") };
        if handle.is_empty() {
            return Ok(suffix);
        }
        match self.tags.get(&handle) {
            Some(prefix) => Ok(format!("{prefix}{suffix}")),
            None => Err(Error::new(Syntax::TagHandle(handle), token.span)),
        }
    }

    /// The error for an unexpected next token.
    fn unexpected(&mut self, expected: &'static str) -> Result<Error, Error> {
        let quoted = self.quoted;
        let bracket = self.states.iter().rev().find_map(|state| match state {
            State::FlowEntry { open, .. } => Some(('[', *open)),
            State::FlowKey { open, .. } => Some(('{', *open)),
            _ => None,
        });
        let Token { kind, span } = self.scanner.peek()?;
        if let (TokenKind::End | TokenKind::DocumentStart | TokenKind::DocumentEnd, Some((bracket, open))) =
            (kind, bracket)
        {
            return Ok(Error::new(Syntax::Bracket(bracket), Span::of_one(open)));
        }
        if quoted.is_some_and(|quoted| quoted.end == span.start && quoted.start.line == span.start.line) {
            return Ok(Error::new(Syntax::BehindQuote, *span));
        }
        let error = Error::new(Syntax::Unexpected { found: kind.name(), expected }, *span);
        // The end of a quote may have been meant as a beginning.
        Ok(match quoted {
            Some(quoted) if quoted.end.line == span.start.line && quoted.start.line < quoted.end.line => {
                error.with("after a quote that was opened", quoted)
            }
            _ => error,
        })
    }
}
