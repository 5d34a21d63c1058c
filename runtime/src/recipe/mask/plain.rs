//! Removes from a stream everything that a terminal would interpret or hide, wherever the stream is cut.
//!
//! This runs before the search for secrets: the result must not contain one that an escape sequence had split.

/// Filters a stream of UTF-8. Removes ECMA-48's sequences, with the texts of those that have one (`ESC ]` with a title,
/// `ESC P`, `ESC X`, `ESC ^`, `ESC _`), the other C0 characters except tab, newline and carriage return, those of C1,
/// and Unicode's zero-width and bidirectional control characters. If a backspace puts two characters in one place, as
/// `nroff` does for bold and underlined text, the second one stays.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    state: State,
    // The first bytes of a character that may have to be removed.
    begun: Vec<u8>,
    // The last character, which a backspace may follow, and whether one has.
    last: Vec<u8>,
    is_back: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and a character that selects among its sequences: `ESC ( B`.
    Selection,
    /// After `ESC [`.
    Sequence,
    /// In the text of a sequence, which ends with `ESC \`, U+009C or BEL. It also ends with its line, so that an
    /// unfinished one removes no more than that.
    String,
    StringEscape,
    StringC1,
}

/// The final characters of ESC functions: ECMA-48's and DEC's that terminals know. Anything else after ESC stays.
const FUNCTIONS: &[u8] = b"6789=>cDEFHMNOVWZlmno|}~\\";

impl Plain {
    /// Appends the filtered `bytes` to `out`.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while let [byte, after @ ..] = rest {
            // Nearly all output passes here unchanged.
            let run =
                if self.is_at_rest() { rest.iter().take_while(|byte| matches!(byte, b' '..=b'~')).count() } else { 0 };
            if run > 0 {
                out.append(&mut self.last);
                out.extend_from_slice(&rest[..run - 1]);
                self.last.push(rest[run - 1]);
                rest = &rest[run..];
            } else {
                self.add(*byte, out);
                rest = after;
            }
        }
    }

    /// Appends the text that was held back, at the end of the stream.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.give_begun(out);
        out.append(&mut self.last);
        (self.state, self.is_back) = (State::Text, false);
    }

    /// Filters all of `text`.
    pub(super) fn of(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut plain = Self::default();
        plain.push(text, &mut out);
        plain.finish(&mut out);
        out
    }

    /// Whether the next byte is outside of any sequence.
    fn is_at_rest(&self) -> bool {
        matches!(self.state, State::Text) && self.begun.is_empty() && !self.is_back
    }

    fn add(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.state = match (self.state, byte) {
            (State::Escape, b'[') | (State::Sequence, b' '..=b'?') => State::Sequence,
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::String,
            (State::Escape | State::Selection, b' '..=b'/') => State::Selection,
            (State::Selection, b'0'..=b'~')
            | (State::Sequence, b'@'..=b'~')
            | (State::String | State::StringC1, 0x07 | 0x18 | 0x1a)
            | (State::StringC1, 0x9c)
            | (State::StringEscape, b'\\') => State::Text,
            (State::Escape, byte) if FUNCTIONS.contains(&byte) => State::Text,
            (State::String | State::StringC1, 0x1b) => State::StringEscape,
            (State::String | State::StringC1, 0xc2) => State::StringC1,
            (State::String | State::StringC1, byte) if byte != b'\n' => State::String,
            (State::StringEscape, _) => {
                // A new sequence ends the previous one.
                self.state = State::Escape;
                return self.add(byte, out);
            }
            _ => {
                self.state = State::Text;
                return self.add_text(byte, out);
            }
        };
    }

    fn add_text(&mut self, byte: u8, out: &mut Vec<u8>) {
        if !self.begun.is_empty() {
            self.begun.push(byte);
            match self.begun[..] {
                [0xc2, 0x80..=0x9f]
                | [0xe2, 0x80, 0x8b..=0x8f | 0xa8..=0xae]
                | [0xe2, 0x81, 0xa0..=0xaf]
                | [0xef, 0xbb, 0xbf] => {
                    match self.begun[1] {
                        0x9b if self.begun.len() == 2 => self.state = State::Sequence,
                        0x90 | 0x98 | 0x9d..=0x9f if self.begun.len() == 2 => self.state = State::String,
                        _ => {}
                    }
                    self.begun.clear();
                }
                [0xe2, 0x80 | 0x81] | [0xef, 0xbb] => {}
                _ => {
                    self.begun.pop();
                    self.give_begun(out);
                    self.add_text(byte, out);
                }
            }
            return;
        }
        match byte {
            0x1b => self.state = State::Escape,
            0x08 => self.is_back = !self.last.is_empty(),
            b'\t' | b'\n' | b'\r' => {
                out.append(&mut self.last);
                self.is_back = false;
                out.push(byte);
            }
            0..=0x1f | 0x7f => {}
            0xc2 | 0xe2 | 0xef => self.begun.push(byte),
            _ => self.give(byte, out),
        }
    }

    fn give_begun(&mut self, out: &mut Vec<u8>) {
        for byte in std::mem::take(&mut self.begun) {
            self.give(byte, out);
        }
    }

    /// Passes on a byte of a character, and the previous character unless this one replaces it.
    fn give(&mut self, byte: u8, out: &mut Vec<u8>) {
        let goes_on = (0x80..=0xbf).contains(&byte) && (1..4).contains(&self.last.len());
        if !goes_on {
            if self.is_back {
                self.last.clear();
            }
            out.append(&mut self.last);
        }
        self.is_back = false;
        self.last.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;
    use proptest::prelude::*;

    #[test]
    fn only_what_is_seen_is_left() {
        let text = "a\u{1b}[1;31mred\u{1b}[0m\u{1b}M\0\u{7}\tc\u{85}d\u{200b}e\u{202e}f\u{feff}g\u{2028}h é † ｡ © \r\n";
        assert_eq!(String::from_utf8(Plain::of(text.as_bytes())).unwrap(), "ared\tcdefgh é † ｡ © \r\n");
        assert_eq!(Plain::of(b"a\xff\xc2\xe2b\xe2"), b"a\xff\xc2\xe2b\xe2");
    }

    #[test]
    fn sequences_go_with_their_texts() {
        for (text, plain) in [
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\c", "abc"),
            ("a\u{1b}P1$r\u{1b}\\b\u{1b}_x\u{9c}c\u{1b}^x\u{1b}\\d\u{1b}Xx\u{1b}\\e", "abcde"),
            ("a\u{9d}0;é\u{9c}b\u{90}x\u{1b}\\c\u{9b}1md", "abcd"),
            // As written by `tput sgr0`.
            ("a\u{1b}(B\u{1b}[mb\u{1b}7c\u{1b}=d\u{1b}#8e", "abcde"),
            ("a\u{1b}]0;x\u{1b}[31mb", "ab"),
            ("a\u{1b}]0;it does not end\nb", "a\nb"),
            ("a\u{1b}xb", "axb"),
        ] {
            assert_eq!(String::from_utf8(Plain::of(text.as_bytes())).unwrap(), plain, "{text:?}");
        }
    }

    #[test]
    fn of_two_characters_in_one_place_the_second_one_stays() {
        for (text, plain) in [
            ("_\u{8}a_\u{8}é", "aé"),
            ("a\u{8}aé\u{8}é†\u{8}†", "aé†"),
            ("a_\u{8}b_\u{8}c_\u{8}\n", "abc_\n"),
            ("\u{8}a\u{8}", "a"),
            ("a\u{8}\u{1b}[1mb", "b"),
        ] {
            assert_eq!(String::from_utf8(Plain::of(text.as_bytes())).unwrap(), plain, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn where_it_is_cut_makes_no_difference(
            text in "[a\u{1b}\\[1m\u{85}é\u{200b}†\u{8}\u{9d}\u{9c}\u{7}(_\\]\n\\\\]{0,30}", cut in 0usize..90
        ) {
            let bytes = text.as_bytes();
            let (before, after) = bytes.split_at(cut.min(bytes.len()));
            let (mut plain, mut out) = (Plain::default(), Vec::new());
            plain.push(before, &mut out);
            plain.push(after, &mut out);
            plain.finish(&mut out);
            prop_assert_eq!(&out, &Plain::of(bytes));
            let is_left = String::from_utf8(out).unwrap().contains(['\u{1b}', '\u{85}', '\u{200b}']);
            prop_assert!(!is_left);
        }
    }
}
