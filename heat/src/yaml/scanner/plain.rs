//! Plain scalars: text without quotes.

use super::fold::Gap;
use super::{Error, Scanner, Span, Syntax, Token, TokenKind};

impl<'t> Scanner<'t> {
    pub(super) fn plain(&mut self) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let indent = self.indent + 1;
        let block = self.is_block();
        let (start, at) = (self.reader.place(), self.reader.at());
        let mut end = start;
        let mut text = String::new();
        let mut gap = Gap::default();
        while !self.reader.is_document_mark() && self.reader.byte(0) != b'#' {
            let word = self.word(block)?;
            if !word.is_empty() {
                gap.write(&mut text);
                text.push_str(word);
                end = self.reader.place();
            }
            if !self.reader.is_gap(0) || self.reader.is_end(0) {
                break;
            }
            if !self.gap(&mut gap, |scanner| scanner.reader.column() < indent) {
                return Err(self.error(Syntax::Tab));
            }
            if block && self.reader.column() < indent {
                break;
            }
        }
        // A line break follows, so the next token can be a key.
        self.key_allowed = gap.broken;
        let span = Span { start, end };
        self.scalar = Some((span, at));
        self.tokens.push_back(Token { kind: TokenKind::Scalar { text, plain: true }, span });
        Ok(())
    }

    /// Reads characters up to the next gap.
    fn word(&mut self, block: bool) -> Result<&'t str, Error> {
        let from = self.reader.at();
        loop {
            self.reader.take_while(|byte| match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b':' | 0xC2 | 0xE2 => false,
                b',' | b'[' | b']' | b'{' | b'}' => block,
                _ => true,
            });
            match (self.reader.byte(0), self.reader.byte(1)) {
                (b':', b',' | b'?' | b'[' | b']' | b'{' | b'}') if !block => return Err(self.error(Syntax::TightColon)),
                (b':', _) if !self.reader.is_gap(1) => self.reader.skip(1),
                (0xC2 | 0xE2, _) if !self.reader.is_break(0) => {
                    self.reader.take();
                }
                _ => return Ok(self.reader.slice(from, self.reader.at())),
            }
        }
    }
}
