//! A stream without what a terminal would act on or not show, wherever it is cut.
//!
//! It comes before secrets are looked for: what is printed must not hold one that an escape sequence had cut in two.

/// Takes control characters out of a stream of UTF-8: ECMA-48's `ESC [` with its parameters, the others of C0 but for tab,
/// newline and carriage return, those of C1, and Unicode's that have no width or turn the direction of text.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    state: State,
    // The first bytes of a character that may be such.
    begun: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    Sequence,
}

impl Plain {
    /// Adds what is left of `bytes` to `out`.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for byte in bytes {
            self.add(*byte, out);
        }
    }

    /// Adds what was held back: nothing follows.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.begun);
        self.state = State::Text;
    }

    /// All of `text`.
    pub(super) fn of(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut plain = Self::default();
        plain.push(text, &mut out);
        plain.finish(&mut out);
        out
    }

    fn add(&mut self, byte: u8, out: &mut Vec<u8>) {
        match (self.state, byte) {
            (State::Escape, b'[') => self.state = State::Sequence,
            (State::Sequence, b' '..=b'?') => {}
            (State::Sequence, b'@'..=b'~') => self.state = State::Text,
            _ => {
                self.state = State::Text;
                self.add_text(byte, out);
            }
        }
    }

    fn add_text(&mut self, byte: u8, out: &mut Vec<u8>) {
        if !self.begun.is_empty() {
            self.begun.push(byte);
            match self.begun[..] {
                [0xc2, 0x80..=0x9f]
                | [0xe2, 0x80, 0x8b..=0x8f | 0xa8..=0xae]
                | [0xe2, 0x81, 0xa0..=0xaf]
                | [0xef, 0xbb, 0xbf] => self.begun.clear(),
                [0xe2, 0x80 | 0x81] | [0xef, 0xbb] => {}
                _ => {
                    self.begun.pop();
                    out.append(&mut self.begun);
                    self.add_text(byte, out);
                }
            }
            return;
        }
        match byte {
            0x1b => self.state = State::Escape,
            b'\t' | b'\n' | b'\r' => out.push(byte),
            0..=0x1f | 0x7f => {}
            0xc2 | 0xe2 | 0xef => self.begun.push(byte),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;
    use proptest::prelude::*;

    #[test]
    fn only_what_is_seen_is_left() {
        let text = "a\u{1b}[1;31mred\u{1b}[0m\u{1b}M\0\u{7}\tc\u{85}d\u{200b}e\u{202e}f\u{feff}g\u{2028}h é † ｡ © \r\n";
        assert_eq!(String::from_utf8(Plain::of(text.as_bytes())).unwrap(), "aredM\tcdefgh é † ｡ © \r\n");
        assert_eq!(Plain::of(b"a\xff\xc2\xe2b\xe2"), b"a\xff\xc2\xe2b\xe2");
    }

    proptest! {
        #[test]
        fn where_it_is_cut_makes_no_difference(
            text in "[a\u{1b}\\[1m\u{85}é\u{200b}†]{0,30}", cut in 0usize..90
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
