//! The characters of a text in order, with their places.

use super::{Error, Place, Problem, Span};

/// A text, and how far it has been read.
///
/// Beyond the end, bytes read as zero, which does not occur in any text that is read.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    characters: usize,
    place: Place,
}

impl<'t> Reader<'t> {
    /// Starts at the beginning of a text.
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, characters: 0, place: Place::default() }
    }

    /// The byte `ahead` bytes after the next one.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The text between two offsets.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        &self.text[from..to]
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The number of characters read.
    pub(super) fn characters(&self) -> usize {
        self.characters
    }

    pub(super) fn column(&self) -> i64 {
        i64::from(self.place.column)
    }

    pub(super) fn is_end(&self, ahead: usize) -> bool {
        self.byte(ahead) == 0
    }

    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// Whether there is a line break. YAML 1.1 has more line breaks than line feeds.
    pub(super) fn is_break(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            b'\n' | b'\r' => true,
            0xC2 => self.byte(ahead + 1) == 0x85,
            0xE2 => self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xA8 | 0xA9),
            _ => false,
        }
    }

    /// Whether a word ends there.
    pub(super) fn is_gap(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_end(ahead) || self.is_break(ahead)
    }

    /// Whether there is a document marker here.
    pub(super) fn is_document_mark(&self) -> bool {
        self.place.column == 0
            && matches!(self.rest().as_bytes(), [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..])
            && self.is_gap(3)
    }

    /// Advances to an offset on the same line.
    #[expect(clippy::cast_possible_truncation, reason = "a text has at most `BYTES` columns")]
    pub(super) fn go_to(&mut self, at: usize) {
        // Each character has exactly one byte that is not a continuation byte.
        let characters = self.text.as_bytes()[self.at..at].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        self.at = at;
        self.characters += characters;
        self.place.column += characters as u32;
    }

    /// Skips ASCII characters on the same line.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.go_to(self.at + bytes);
    }

    /// Reads while `is` holds for the bytes, and returns what was read.
    ///
    /// `is` must return the same for all bytes of a non-ASCII character.
    pub(super) fn take_while(&mut self, is: impl Fn(u8) -> bool) -> &'t str {
        let from = self.at;
        let rest = self.rest().as_bytes();
        self.go_to(from + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len()));
        &self.text[from..self.at]
    }

    /// Reads one character.
    pub(super) fn take(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.go_to(self.at + character.len_utf8());
        Some(character)
    }

    /// Reads to the end of the line.
    pub(super) fn take_line(&mut self) -> &'t str {
        let from = self.at;
        loop {
            self.take_while(|byte| byte.is_ascii() && !matches!(byte, b'\n' | b'\r'));
            if self.is_end(0) || self.is_break(0) {
                return &self.text[from..self.at];
            }
            self.take();
        }
    }

    /// Reads a line break, and returns the character that it stands for.
    pub(super) fn take_break(&mut self) -> char {
        let (bytes, characters, meaning) = match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'\r', b'\n', _) => (2, 2, '\n'),
            (0xC2, ..) => (2, 1, '\n'),
            (0xE2, _, 0xA8) => (3, 1, '\u{2028}'),
            (0xE2, ..) => (3, 1, '\u{2029}'),
            _ => (1, 1, '\n'),
        };
        self.at += bytes;
        self.characters += characters;
        self.place = Place { line: self.place.line + 1, column: 0 };
        meaning
    }

    /// Refuses the text at the first character that YAML does not allow.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Some((index, character)) = self.text.char_indices().find(|(_, character)| !is_printable(*character)) else {
            return Ok(());
        };
        let start = place_behind(&self.text[..index]);
        Err(Error::new(Problem::Unprintable(character), Span::of_one(start)))
    }
}

fn is_printable(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..
    )
}

/// The place after a text, with lines counted as in YAML 1.1.
#[expect(clippy::cast_possible_truncation, reason = "a text has at most `BYTES` lines and columns")]
pub(super) fn place_behind(before: &str) -> Place {
    const BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let breaks = before.matches(BREAKS).count() - before.matches("\r\n").count();
    let column = before.rsplit(BREAKS).next().unwrap_or_default().chars().count();
    Place { line: breaks as u32, column: column as u32 }
}
