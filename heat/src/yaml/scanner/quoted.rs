//! Quoted scalars.

use super::fold::Gap;
use super::{Error, Place, Scanner, Span, Syntax, Token, TokenKind};

impl Scanner<'_> {
    pub(super) fn quoted(&mut self, quote: u8) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let (start, at) = (self.reader.place(), self.reader.at());
        self.reader.skip(1);
        let mut text = String::new();
        loop {
            if self.reader.is_document_mark() || self.reader.is_end(0) {
                return Err(Error::new(Syntax::Quote(char::from(quote)), Span::of_one(start)));
            }
            let mut gap = self.quoted_words(quote, &mut text)?;
            if self.reader.byte(0) == quote {
                break;
            }
            self.gap(&mut gap, |_| false);
            gap.write(&mut text);
        }
        self.reader.skip(1);
        let span = Span { start, end: self.reader.place() };
        self.scalar = Some((span, at));
        self.tokens.push_back(Token { kind: TokenKind::Scalar { text, plain: false }, span });
        Ok(())
    }

    /// Reads to the next blank, line break or quote. If that is an escaped line break, the returned gap begins with it.
    fn quoted_words(&mut self, quote: u8, text: &mut String) -> Result<Gap, Error> {
        loop {
            text.push_str(self.reader.take_while(|byte| {
                !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\\' | 0xC2 | 0xE2) && byte != quote
            }));
            match (self.reader.byte(0), self.reader.byte(1)) {
                (b'\'', b'\'') if quote == b'\'' => {
                    text.push('\'');
                    self.reader.skip(2);
                }
                (b'\\', _) if quote == b'"' && self.reader.is_break(1) => {
                    self.reader.skip(1);
                    self.reader.take_break();
                    return Ok(Gap::escaped());
                }
                (b'\\', 0) if quote == b'"' => {
                    self.reader.skip(1);
                    return Ok(Gap::default());
                }
                (b'\\', _) if quote == b'"' => text.push(self.escape()?),
                (b'\\', _) => {
                    text.push('\\');
                    self.reader.skip(1);
                }
                (0xC2 | 0xE2, _) if !self.reader.is_break(0) => text.extend(self.reader.take()),
                _ => return Ok(Gap::default()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let start = self.reader.place();
        self.reader.skip(1);
        let letter = self.reader.take().expect("INVARIANT: the caller saw that something follows");
        let meaning = match letter {
            '0' => '\0',
            'a' => '\x07',
            'b' => '\x08',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\x0B',
            'f' => '\x0C',
            'r' => '\r',
            'e' => '\x1B',
            ' ' | '"' | '/' | '\\' => letter,
            'N' => '\u{85}',
            '_' => '\u{A0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => return self.code(letter, 2, start),
            'u' => return self.code(letter, 4, start),
            'U' => return self.code(letter, 8, start),
            _ => {
                let span = Span { start, end: self.reader.place() };
                return Err(Error::new(Syntax::Escape(letter), span));
            }
        };
        Ok(meaning)
    }

    /// A character given by its number.
    fn code(&mut self, letter: char, digits: usize, start: Place) -> Result<char, Error> {
        let code = self.reader.rest().get(..digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(code) = code else {
            let span = Span { start, end: self.reader.place() };
            return Err(Error::new(Syntax::Code { letter, digits }, span));
        };
        let escape = format!("\\{letter}{code}");
        let character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        self.reader.skip(digits);
        character.ok_or_else(|| {
            let span = Span { start, end: self.reader.place() };
            Error::new(Syntax::NoCharacter(escape), span)
        })
    }
}
