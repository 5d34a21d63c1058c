//! From characters to the tokens of the grammar.
//!
//! The rules are those of libyaml, which Heat uses: YAML 1.1's, as libyaml interprets them. Two things need more than the
//! next character. First, indentation becomes tokens: a line that is indented further than the surrounding collection
//! begins a new collection, and ends all collections that are indented further than itself. Second, a key is only
//! recognised at its `:`. So the tokens since its start are held back until the `:` comes or can no longer come: a key
//! without `? ` is on one line and has at most 1024 characters.

mod block;
mod directive;
mod fold;
mod plain;
mod properties;
mod quoted;
mod structure;

use std::collections::VecDeque;

use super::reader::Reader;
use super::token::{Token, TokenKind};
use super::{Comment, Error, Place, Span, Syntax};

/// The most characters of a key that is not marked by `? `.
const KEY: usize = 1024;
/// The most characters of a line that a message shows.
const SHOWN: usize = 60;

/// Produces tokens, and holds back those that may turn out to be keys.
#[derive(Debug)]
pub(super) struct Scanner<'t> {
    reader: Reader<'t>,
    tokens: VecDeque<Token>,
    /// The number of tokens handed out.
    taken: usize,
    /// The column of the innermost block collection. -1 if there is none.
    indent: i64,
    indents: Vec<i64>,
    /// Possible keys: the last one outside of brackets, then for each open bracket the last one in it.
    keys: Vec<Option<Candidate>>,
    /// Whether a key can begin here.
    key_allowed: bool,
    /// The last text that can span lines, and the number of bytes before it.
    scalar: Option<(Span, usize)>,
    comments: Vec<Comment>,
    /// The number of comments whose next token is known.
    followed: usize,
    ended: bool,
    /// Whether no other token can be inserted before the next one.
    settled: bool,
}

/// A token that is a key if a `:` follows.
#[derive(Debug)]
struct Candidate {
    /// Its number among all tokens.
    token: usize,
    /// Whether it cannot be anything but a key.
    required: bool,
    place: Place,
    /// The number of characters before it.
    characters: usize,
    /// The number of bytes before it.
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, Error> {
        // A byte order mark.
        let reader = Reader::new(text.strip_prefix('\u{FEFF}').unwrap_or(text));
        reader.check()?;
        Ok(Self {
            reader,
            tokens: VecDeque::new(),
            taken: 0,
            indent: -1,
            indents: Vec::new(),
            keys: vec![None],
            key_allowed: true,
            scalar: None,
            comments: Vec::new(),
            followed: 0,
            ended: false,
            settled: false,
        })
    }

    pub(super) fn into_comments(self) -> Vec<Comment> {
        self.comments
    }

    /// The next token. At the end, always [`TokenKind::End`].
    pub(super) fn peek(&mut self) -> Result<&Token, Error> {
        while !self.settled {
            if self.needs_more()? {
                self.scan()?;
            } else {
                self.settled = true;
            }
        }
        Ok(self.tokens.front().expect("INVARIANT: there is a word, of which the last stays"))
    }

    pub(super) fn next(&mut self) -> Result<Token, Error> {
        let token = self.peek()?;
        if token.kind == TokenKind::End {
            return Ok(Token { kind: TokenKind::End, span: token.span });
        }
        self.taken += 1;
        self.settled = false;
        Ok(self.tokens.pop_front().expect("INVARIANT: `peek` saw it"))
    }

    fn needs_more(&mut self) -> Result<bool, Error> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        if self.ended {
            return Ok(false);
        }
        self.forget_keys()?;
        Ok(self.keys.iter().flatten().any(|key| key.token == self.taken))
    }

    /// Discards candidates that can no longer be keys.
    fn forget_keys(&mut self) -> Result<(), Error> {
        let (line, characters) = (self.reader.place().line, self.reader.characters());
        for index in 0..self.keys.len() {
            let Some(key) = &self.keys[index] else { continue };
            if key.place.line < line || key.characters + KEY < characters {
                self.forget_key(index)?;
            }
        }
        Ok(())
    }

    fn forget_key(&mut self, index: usize) -> Result<(), Error> {
        match self.keys[index].take() {
            Some(key) if key.required => Err(self.no_colon(&key)),
            _ => Ok(()),
        }
    }

    fn no_colon(&self, key: &Candidate) -> Error {
        if key.place.line == self.reader.place().line && key.characters + KEY < self.reader.characters() {
            return Error::new(Syntax::LongKey, Span::of_one(key.place));
        }
        let line = self.reader.slice(key.at, self.reader.at()).lines().next().unwrap_or_default().trim_end();
        let word = match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        };
        let width = u32::try_from(line.chars().count()).unwrap_or(u32::MAX);
        let end = Place { column: key.place.column.saturating_add(width.max(1)), ..key.place };
        Error::new(Syntax::NoColon { word }, Span { start: key.place, end })
    }

    /// Registers the next token as a possible key.
    fn save_key(&mut self) -> Result<(), Error> {
        if self.key_allowed {
            self.forget_last_key()?;
            let key = Candidate {
                token: self.taken + self.tokens.len(),
                required: self.is_block() && self.indent == self.reader.column(),
                place: self.reader.place(),
                characters: self.reader.characters(),
                at: self.reader.at(),
            };
            *self.last_key() = Some(key);
        }
        Ok(())
    }

    fn forget_last_key(&mut self) -> Result<(), Error> {
        self.forget_key(self.keys.len() - 1)
    }

    fn last_key(&mut self) -> &mut Option<Candidate> {
        self.keys.last_mut().expect("INVARIANT: the text around is never closed")
    }

    /// Whether no bracket is open.
    fn is_block(&self) -> bool {
        self.keys.len() == 1
    }

    /// Reads at least one token.
    fn scan(&mut self) -> Result<(), Error> {
        self.skip_gap();
        self.forget_keys()?;
        self.close_indents(self.reader.column());
        let reader = &self.reader;
        let flow = !self.is_block();
        let gap = reader.is_gap(1);
        match reader.byte(0) {
            0 => self.end(),
            b'%' if reader.place().column == 0 => self.directive(),
            b'-' | b'.' if reader.is_document_mark() => self.document_mark(),
            b'[' => self.open_bracket(TokenKind::FlowListStart),
            b'{' => self.open_bracket(TokenKind::FlowMapStart),
            b']' => self.close_bracket(TokenKind::FlowListEnd),
            b'}' => self.close_bracket(TokenKind::FlowMapEnd),
            b',' => self.comma(),
            b'-' if gap => self.entry(),
            b'?' if gap || flow => self.complex_key(),
            b':' if gap || flow => self.value(),
            b'*' | b'&' => self.anchor(),
            b'!' => self.tag(),
            b'|' | b'>' if !flow => self.block_scalar(),
            quote @ (b'\'' | b'"') => self.quoted(quote),
            b'\t' => Err(self.error(Syntax::Tab)),
            byte @ (b'|' | b'>') => Err(self.error(Syntax::BlockInFlow(char::from(byte)))),
            byte @ (b'#' | b'%' | b'@' | b'`') => Err(self.error(Syntax::Begins(char::from(byte)))),
            _ => self.plain(),
        }
    }

    /// Advances to the start of the next token.
    fn skip_gap(&mut self) {
        loop {
            // As in libyaml, a byte order mark can begin any line, and takes up a column.
            if self.reader.column() == 0 && self.reader.rest().starts_with('\u{FEFF}') {
                self.reader.take();
            }
            // Where a key can begin, a tab would be indentation.
            let tabs = !self.is_block() || !self.key_allowed;
            self.reader.take_while(|byte| byte == b' ' || tabs && byte == b'\t');
            if self.reader.byte(0) == b'#' {
                self.comment();
            }
            if !self.reader.is_break(0) {
                let next = self.reader.place();
                self.comments[self.followed..].iter_mut().for_each(|comment| comment.next = next);
                self.followed = self.comments.len();
                return;
            }
            self.reader.take_break();
            if self.is_block() {
                self.key_allowed = true;
            }
        }
    }

    /// Reads a comment, up to the end of its line.
    fn comment(&mut self) {
        let place = self.reader.place();
        let before = self.reader.slice(0, self.reader.at()).rsplit(['\n', '\r']).next().unwrap_or_default();
        let trails = !before.trim_matches([' ', '\t', '\u{FEFF}']).is_empty();
        let text = self.reader.take_line();
        let text = text.strip_prefix('#').unwrap_or(text).trim_end().to_owned();
        self.comments.push(Comment { place, text, trails, next: place });
    }

    /// An error at the next character.
    fn error(&self, problem: Syntax) -> Error {
        Error::new(problem, Span::of_one(self.reader.place()))
    }

    fn push(&mut self, kind: TokenKind, start: Place) {
        let span = Span { start, end: self.reader.place() };
        self.tokens.push_back(Token { kind, span });
    }
}
