//! A document's text, and its positions: the protocol's, in UTF-16, and the YAML reader's, in characters.

use std::ops::Range as Bytes;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use wattle_heat::yaml::{Place, Span};

/// A text, and where its lines begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) whole: String,
    /// The beginnings of lines for the protocol.
    lines: Vec<usize>,
    /// The beginnings of lines for YAML 1.1, which has more line breaks.
    yaml: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Self {
        let lines = starts(&text, &['\n', '\r']);
        let yaml = starts(&text, &['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        Self { whole: text, lines, yaml }
    }

    /// Applies a client's change: of a part, or of everything.
    pub(crate) fn apply(&mut self, change: &TextDocumentContentChangeEvent) {
        let mut text = std::mem::take(&mut self.whole);
        match change.range {
            Some(range) => {
                let start = self.offset_in(&text, range.start);
                let end = self.offset_in(&text, range.end).max(start);
                text.replace_range(start..end, &change.text);
            }
            None => text.clone_from(&change.text),
        }
        *self = Self::new(text);
    }

    /// The byte at a position. Beyond the end of a line, its end.
    pub(crate) fn offset(&self, at: Position) -> usize {
        self.offset_in(&self.whole, at)
    }

    fn offset_in(&self, text: &str, at: Position) -> usize {
        let Some(start) = self.lines.get(at.line as usize).copied() else { return text.len() };
        let mut units = 0;
        for (index, character) in text[start..].char_indices() {
            if units >= at.character || matches!(character, '\n' | '\r') {
                return start + index;
            }
            units += units_of(character);
        }
        text.len()
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = self.whole.floor_char_boundary(offset);
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let units = self.whole[self.lines[line]..offset].chars().map(units_of).sum();
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), character: units }
    }

    /// The byte at a place of the YAML reader.
    pub(crate) fn byte(&self, place: Place) -> usize {
        let Some(start) = self.yaml.get(place.line as usize).copied() else { return self.whole.len() };
        let end = self.yaml.get(place.line as usize + 1).copied().unwrap_or(self.whole.len());
        let line = &self.whole[start..end];
        start + line.char_indices().nth(place.column as usize).map_or(line.len(), |(index, _)| index)
    }

    /// The YAML reader's place of a byte.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let offset = self.whole.floor_char_boundary(offset);
        let line = self.yaml.partition_point(|start| *start <= offset) - 1;
        let column = self.whole[self.yaml[line]..offset].chars().count();
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column) }
    }

    /// The bytes of an extent of the YAML reader.
    pub(crate) fn bytes(&self, span: Span) -> Bytes<usize> {
        let start = self.byte(span.start);
        start..self.byte(span.end).max(start)
    }

    pub(crate) fn range(&self, bytes: Bytes<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The line with a byte, without its line break, and its beginning.
    pub(crate) fn line(&self, offset: usize) -> (usize, &str) {
        let line = self.yaml.partition_point(|start| *start <= offset) - 1;
        let start = self.yaml[line];
        let end = self.yaml.get(line + 1).copied().unwrap_or(self.whole.len());
        (start, self.whole[start..end].trim_end_matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']))
    }
}

fn starts(text: &str, breaks: &[char]) -> Vec<usize> {
    let mut starts = vec![0];
    for (index, found) in text.match_indices(breaks) {
        if !(found == "\r" && text[index + 1..].starts_with('\n')) {
            starts.push(index + found.len());
        }
    }
    starts
}

#[expect(clippy::cast_possible_truncation, reason = "a character has one or two units")]
fn units_of(character: char) -> u32 {
    character.len_utf16() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn positions_are_in_utf_16() {
        let text = Text::new("a: ä😀b\r\nc: d\n".into());
        // `ä` has two bytes and one unit, the face four bytes and two units.
        for (position, byte) in [(at(0, 3), 3), (at(0, 4), 5), (at(0, 6), 9), (at(0, 7), 10), (at(1, 3), 15)] {
            assert_eq!(text.offset(position), byte);
            assert_eq!(text.position(byte), position);
        }
        assert_eq!(text.offset(at(0, 99)), 10, "beyond the end of a line is its end");
        assert_eq!(text.offset(at(9, 0)), text.whole.len());
        assert_eq!(text.byte(Place { line: 0, column: 5 }), 9);
        assert_eq!(text.place(9), Place { line: 0, column: 5 });
    }

    #[test]
    fn lines_of_yaml_are_not_those_of_the_protocol() {
        let text = Text::new("a: 1\u{2028}b: 2\nc: 3".into());
        assert_eq!(text.position(text.byte(Place { line: 1, column: 3 })), at(0, 8));
        assert_eq!(text.position(text.byte(Place { line: 2, column: 0 })), at(1, 0));
    }

    #[test]
    fn changes_are_applied_one_after_another() {
        let mut text = Text::new("a: 1\nb: 2\n".into());
        let mut change = |range: Option<(Position, Position)>, new: &str| {
            let range = range.map(|(start, end)| Range { start, end });
            text.apply(&TextDocumentContentChangeEvent { range, range_length: None, text: new.into() });
            text.whole.clone()
        };
        assert_eq!(change(Some((at(0, 3), at(1, 0))), "😀\n\n"), "a: 😀\n\nb: 2\n");
        assert_eq!(change(Some((at(0, 5), at(0, 5))), "!"), "a: 😀!\n\nb: 2\n");
        assert_eq!(change(Some((at(7, 0), at(9, 0))), "end"), "a: 😀!\n\nb: 2\nend");
        assert_eq!(change(None, "new"), "new");
    }
}
