//! Locates the cursor in a text that need not be YAML: the enclosing keys and items, and what was begun there.
//!
//! Lines before the cursor are read by their indentation alone, and flow collections by their brackets, so that
//! unfinished parts elsewhere are harmless.

mod flow;

use std::ops::Range;

/// A step from the root of the document to the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The value of a key.
    Key(String),
    /// An item of a list. The value is the preceding items, where they are words; otherwise empty.
    Item(Vec<String>),
}

/// What may be written at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A key or a value, at the beginning of a line or of an item.
    Start,
    /// A key of a map in braces.
    Key,
    /// A value after a key, or an item in brackets.
    Value,
}

/// The position of the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) path: Vec<Step>,
    pub(crate) place: Place,
    /// The bytes of the word at the cursor. It begins before the cursor, or at it.
    pub(crate) word: Range<usize>,
    /// Whether a colon follows the word.
    pub(crate) is_key: bool,
}

/// A step, with its starting column.
#[derive(Debug)]
struct Frame {
    column: usize,
    step: Step,
    /// The value, if it is a word.
    word: String,
}

/// What a part of the text reveals about the cursor.
enum Found {
    /// It is here.
    Here(Cursor),
    /// Nothing can be completed there.
    Nowhere,
    /// It is after this byte.
    Behind(usize),
}

/// Locates the byte `cursor` in `text`. `None` in comments and in multi-line texts.
pub(crate) fn cursor(text: &str, cursor: usize) -> Option<Cursor> {
    let mut scanner = Scanner { text, cursor, frames: Vec::new() };
    let mut start = 0;
    // The column of the key whose value is a multi-line text.
    let mut block: Option<usize> = None;
    loop {
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let line = text[start..end].trim_end_matches('\r');
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_last = cursor <= end;
        let is_blank = line.trim().is_empty();
        if let Some(column) = block.filter(|column| indent > *column || (is_blank && !is_last)) {
            if is_last {
                return None;
            }
            block = Some(column);
        } else if !is_blank || is_last {
            block = None;
            match scanner.line(start, start + line.len(), indent, &mut block) {
                Found::Here(found) => return Some(found),
                Found::Nowhere => return None,
                // Brackets may have been closed on a later line.
                Found::Behind(at) if at > end => {
                    start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                    if at == start {
                        continue;
                    }
                    start = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
                    if start > cursor {
                        return None;
                    }
                    continue;
                }
                Found::Behind(_) => {}
            }
        }
        if is_last || end == text.len() {
            return None;
        }
        start = end + 1;
    }
}

struct Scanner<'t> {
    text: &'t str,
    cursor: usize,
    frames: Vec<Frame>,
}

impl Scanner<'_> {
    /// Reads a line of the block style, whose first word is in column `indent`.
    fn line(&mut self, start: usize, end: usize, indent: usize, block: &mut Option<usize>) -> Found {
        let mut at = start + indent;
        let is_last = self.cursor <= end;
        // The column of a preceding key on this line, if any.
        let mut key: Option<usize> = None;
        loop {
            let column = at - start;
            if is_last && self.cursor <= at {
                let column = self.cursor - start;
                if key.is_none() {
                    self.leave(column);
                }
                let place = if key.is_some() { Place::Value } else { Place::Start };
                return self.here(place, self.cursor..self.word_end(self.cursor, end), false);
            }
            let rest = &self.text[at..end];
            let Some(first) = rest.bytes().next() else { return Found::Behind(end) };
            match first {
                b'#' => return if is_last { Found::Nowhere } else { Found::Behind(end) },
                b'-' if key.is_none() && (rest == "-" || rest.starts_with("- ")) => {
                    if is_last && self.cursor == at + 1 {
                        return Found::Nowhere;
                    }
                    self.item(column);
                    at += 1 + spaces(&rest[1..]);
                    continue;
                }
                b'{' | b'[' => return self.flow(at, key.unwrap_or(column)),
                b'|' | b'>' if key.is_some() || matches!(self.frames.last(), Some(frame) if frame.column < column) => {
                    *block = Some(key.or(self.frames.last().map(|frame| frame.column)).unwrap_or_default());
                    return if is_last { Found::Nowhere } else { Found::Behind(end) };
                }
                b'&' | b'!' => {
                    let length = rest.find(' ').unwrap_or(rest.len());
                    if is_last && self.cursor <= at + length {
                        return Found::Nowhere;
                    }
                    at += length + spaces(&rest[length..]);
                    continue;
                }
                _ => {}
            }
            let word = word(rest, false);
            if let Some(colon) = word.colon.filter(|_| key.is_none()) {
                if is_last && self.cursor <= at + colon {
                    self.leave(column);
                    return self.here(Place::Start, at + word.inner.start..at + word.inner.end, true);
                }
                self.leave(column);
                self.push(column, Step::Key(rest[word.inner].to_owned()));
                key = Some(column);
                at += colon + 1;
                let gap = spaces(&self.text[at..end]);
                // Nothing can be written directly after the colon.
                if is_last && self.cursor <= at {
                    return Found::Nowhere;
                }
                at += gap;
                continue;
            }
            if is_last {
                if key.is_none() {
                    self.leave(column);
                }
                let place = if key.is_some() { Place::Value } else { Place::Start };
                let inner = at + word.inner.start..(at + word.inner.end).max(self.cursor.min(end));
                let is_in_comment = self.text[at + word.end..inner.end.max(at + word.end)].contains('#');
                let is_outside = self.cursor < inner.start || is_in_comment;
                return if is_outside { Found::Nowhere } else { self.here(place, inner, false) };
            }
            if let Some(frame) = self.frames.last_mut() {
                rest[word.inner].clone_into(&mut frame.word);
            }
            return Found::Behind(end);
        }
    }

    /// The cursor is here.
    fn here(&self, place: Place, word: Range<usize>, is_key: bool) -> Found {
        let path = self.frames.iter().map(|frame| frame.step.clone()).collect();
        Found::Here(Cursor { path, place, word, is_key })
    }

    fn push(&mut self, column: usize, step: Step) {
        self.frames.push(Frame { column, step, word: String::new() });
    }

    /// Leaves the levels to which a word in this column does not belong.
    fn leave(&mut self, column: usize) {
        while self.frames.last().is_some_and(|frame| frame.column >= column) {
            self.frames.pop();
        }
    }

    /// Begins an item whose dash is in this column, which may be the column of the list's key.
    fn item(&mut self, column: usize) {
        let mut before = Vec::new();
        while let Some(frame) = self.frames.last() {
            let is_item = matches!(frame.step, Step::Item(_));
            if frame.column < column || (frame.column == column && !is_item) {
                break;
            }
            if let Some(Frame { column: last, step: Step::Item(items), word }) = self.frames.pop()
                && last == column
            {
                before = items;
                before.push(word);
            }
        }
        self.push(column, Step::Item(before));
    }

    /// The end of the word that begins at the cursor.
    fn word_end(&self, at: usize, end: usize) -> usize {
        let rest = &self.text[at..end];
        at + rest.find([' ', ',', ']', '}', ':', '#']).unwrap_or(rest.len())
    }
}

/// A word at the beginning of some text.
struct Word {
    /// Its bytes, without quotes.
    inner: Range<usize>,
    /// The end of the whole word.
    end: usize,
    /// The colon that makes it a key.
    colon: Option<usize>,
}

/// The word at the beginning of `rest`, which ends with its line at the latest. In flow style, brackets and commas end
/// it, too.
fn word(rest: &str, in_flow: bool) -> Word {
    let bytes = rest.as_bytes();
    let is_gap = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
    let ends_flow = |at: usize| in_flow && matches!(bytes.get(at), Some(b',' | b'[' | b']' | b'{' | b'}'));
    if let Some(quote @ (b'"' | b'\'')) = bytes.first().copied() {
        let mut close = 1;
        while close < bytes.len() && bytes[close] != quote && bytes[close] != b'\n' {
            close += if bytes[close] == b'\\' && quote == b'"' { 2 } else { 1 };
        }
        let close = close.min(bytes.len());
        let end = if bytes.get(close) == Some(&quote) { close + 1 } else { close };
        let colon = end + spaces(&rest[end..]);
        let is_key = bytes.get(colon) == Some(&b':') && (in_flow || is_gap(colon + 1));
        return Word { inner: 1..close, end, colon: is_key.then_some(colon) };
    }
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'\n' {
        let ends = match bytes[at] {
            b':' => is_gap(at + 1) || ends_flow(at + 1),
            b'#' => at > 0 && is_gap(at - 1),
            _ => ends_flow(at),
        };
        if ends {
            break;
        }
        at += 1;
    }
    let inner = 0..rest[..at].trim_end().len();
    let is_key = bytes.get(at) == Some(&b':');
    Word { end: if is_key { at } else { inner.end }, inner, colon: is_key.then_some(at) }
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests;
