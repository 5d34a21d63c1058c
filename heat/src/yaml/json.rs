//! JSON as Python's `json` reads it: `NaN` and `Infinity` are numbers, and the last of equal keys wins.
//!
//! Heat tries this first, and only then YAML. For some texts this makes a difference: `1e3` is a float here.

use super::parser::{Event, EventKind, Properties};
use super::reader::Reader;
use super::{Error, Node, Place, Problem, Span, Tree, compose};

/// Why there is no tree.
enum Stop {
    NotJson,
    Refused(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// Reads a text. `None` if it is not JSON.
pub(super) fn read(text: &str) -> Result<Option<Node>, Error> {
    let mut json = Json { reader: Reader::new(text), open: Vec::new(), next: Next::Value };
    match compose::compose(|| json.event()) {
        Ok(node) => Ok(Some(node)),
        Err(Stop::NotJson) => Ok(None),
        Err(Stop::Refused(error)) => Err(error),
    }
}

struct Json<'t> {
    reader: Reader<'t>,
    /// The closing brackets of the open collections.
    open: Vec<u8>,
    next: Next,
}

/// The next expected token.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Value,
    /// A value, or the end of the list.
    ValueOrEnd,
    Key,
    /// A key, or the end of the map.
    KeyOrEnd,
    /// A comma, or the end of the open collection.
    Further,
}

impl Json<'_> {
    fn event(&mut self) -> Result<Event, Stop> {
        self.blanks();
        if self.next == Next::Further {
            match (self.open.last(), self.reader.byte(0)) {
                (None, 0) => return Ok(self.at(EventKind::End, self.reader.place())),
                (Some(close), byte) if *close == byte => return Ok(self.close()),
                (Some(close), b',') => {
                    self.next = if *close == b'}' { Next::Key } else { Next::Value };
                    self.reader.skip(1);
                    self.blanks();
                }
                _ => return Err(Stop::NotJson),
            }
        }
        match (self.next, self.reader.byte(0)) {
            (Next::ValueOrEnd, b']') | (Next::KeyOrEnd, b'}') => Ok(self.close()),
            (Next::Key | Next::KeyOrEnd, b'"') => {
                let key = self.text()?;
                self.blanks();
                if self.reader.byte(0) != b':' {
                    return Err(Stop::NotJson);
                }
                self.reader.skip(1);
                self.next = Next::Value;
                Ok(key)
            }
            (Next::Key | Next::KeyOrEnd, _) => Err(Stop::NotJson),
            _ => self.value(),
        }
    }

    fn blanks(&mut self) {
        loop {
            self.reader.take_while(|byte| matches!(byte, b' ' | b'\t'));
            if !matches!(self.reader.byte(0), b'\n' | b'\r') {
                return;
            }
            self.reader.take_break();
        }
    }

    fn at(&self, kind: EventKind, start: Place) -> Event {
        Event { kind, span: Span { start, end: self.reader.place() } }
    }

    fn bracket(&mut self, kind: EventKind, next: Next) -> Event {
        let start = self.reader.place();
        self.reader.skip(1);
        self.next = next;
        self.at(kind, start)
    }

    fn close(&mut self) -> Event {
        let kind = if self.open.pop() == Some(b'}') { EventKind::MapEnd } else { EventKind::ListEnd };
        self.bracket(kind, Next::Further)
    }

    fn value(&mut self) -> Result<Event, Stop> {
        self.next = Next::Further;
        match self.reader.byte(0) {
            b'{' => {
                self.open.push(b'}');
                Ok(self.bracket(EventKind::MapStart(Properties::default()), Next::KeyOrEnd))
            }
            b'[' => {
                self.open.push(b']');
                Ok(self.bracket(EventKind::ListStart(Properties::default()), Next::ValueOrEnd))
            }
            b'"' => self.text(),
            _ => self.word(),
        }
    }

    /// A number, or a word that denotes a value.
    fn word(&mut self) -> Result<Event, Stop> {
        const WORDS: [(&str, Tree); 6] = [
            ("null", Tree::Null),
            ("true", Tree::Boolean(true)),
            ("false", Tree::Boolean(false)),
            ("NaN", Tree::Float(f64::NAN)),
            ("Infinity", Tree::Float(f64::INFINITY)),
            ("-Infinity", Tree::Float(f64::NEG_INFINITY)),
        ];
        let start = self.reader.place();
        for (word, tree) in WORDS {
            if self.reader.rest().starts_with(word) {
                self.reader.skip(word.len());
                return Ok(self.at(EventKind::Value(tree), start));
            }
        }
        let number = number(self.reader.rest()).ok_or(Stop::NotJson)?;
        self.reader.skip(number.len());
        let span = Span { start, end: self.reader.place() };
        let tree = if number.contains(['.', 'e', 'E']) {
            Tree::Float(number.parse().map_err(|_| Stop::NotJson)?)
        } else {
            Tree::Integer(number.parse().map_err(|_| Error::new(Problem::TooLarge(number.to_owned()), span))?)
        };
        Ok(Event { kind: EventKind::Value(tree), span })
    }

    fn text(&mut self) -> Result<Event, Stop> {
        let start = self.reader.place();
        self.reader.skip(1);
        let mut text = String::new();
        loop {
            text.push_str(self.reader.take_while(|byte| !matches!(byte, 0..0x20 | b'"' | b'\\')));
            match self.reader.byte(0) {
                b'"' => break,
                b'\\' => text.push(self.escape()?),
                _ => return Err(Stop::NotJson),
            }
        }
        self.reader.skip(1);
        Ok(self.at(EventKind::Value(Tree::Text { text, plain: false }), start))
    }

    fn escape(&mut self) -> Result<char, Stop> {
        let start = self.reader.place();
        let meaning = match self.reader.byte(1) {
            letter @ (b'"' | b'\\' | b'/') => char::from(letter),
            b'b' => '\x08',
            b'f' => '\x0C',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit().ok_or(Stop::NotJson)?;
                // If the second half is invalid, it is read on its own.
                let second = (0xD800..0xDC00).contains(&first).then(|| self.low_half()).flatten();
                let decoded = char::decode_utf16([Some(first), second].into_iter().flatten()).next();
                let refused = || {
                    let span = Span { start, end: self.reader.place() };
                    Stop::Refused(Error::new(Problem::Surrogate(first), span))
                };
                return decoded.and_then(Result::ok).ok_or_else(refused);
            }
            _ => return Err(Stop::NotJson),
        };
        self.reader.skip(2);
        Ok(meaning)
    }

    /// A `\u` and its four digits.
    fn unit(&mut self) -> Option<u16> {
        let unit = unit(self.reader.rest())?;
        self.reader.skip(6);
        Some(unit)
    }

    fn low_half(&mut self) -> Option<u16> {
        unit(self.reader.rest()).filter(|unit| (0xDC00..0xE000).contains(unit))?;
        self.unit()
    }
}

fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The number at the start of a text.
fn number(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    end += match bytes.get(end)? {
        b'0' => 1,
        b'1'..=b'9' => digits(end),
        _ => return None,
    };
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(end + 1 + sign) > 0 {
            end += 1 + sign + digits(end + 1 + sign);
        }
    }
    Some(&text[..end])
}
