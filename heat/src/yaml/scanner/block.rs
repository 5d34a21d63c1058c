//! Block scalars: text on lines of its own after `|` or `>`.

use super::{Error, Place, Scanner, Span, Syntax, Token, TokenKind};

/// The treatment of line breaks at the end.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    /// `-`
    Strip,
    Clip,
    /// `+`
    Keep,
}

impl Scanner<'_> {
    pub(super) fn block_scalar(&mut self) -> Result<(), Error> {
        self.forget_last_key()?;
        self.key_allowed = true;
        let start = self.reader.place();
        let literal = self.reader.byte(0) == b'|';
        let (chomp, given) = self.block_header()?;
        // 0 until the first line of the text determines it.
        let mut indent = given.map_or(0, |given| self.indent.max(0) + given);
        let mut end = self.reader.place();
        let mut text = String::new();
        let mut last = None;
        let mut blank = false;
        let mut breaks = String::new();
        self.block_breaks(&mut indent, &mut breaks, &mut end)?;
        while self.reader.column() == indent && !self.reader.is_end(0) {
            let next_blank = self.reader.is_blank(0);
            if literal || blank || next_blank || last != Some('\n') {
                text.extend(last);
            } else if breaks.is_empty() {
                text.push(' ');
            }
            text.push_str(&breaks);
            breaks.clear();
            blank = next_blank;
            text.push_str(self.reader.take_line());
            last = self.reader.is_break(0).then(|| self.reader.take_break());
            self.block_breaks(&mut indent, &mut breaks, &mut end)?;
        }
        if chomp != Chomp::Strip {
            text.extend(last);
        }
        if chomp == Chomp::Keep {
            text.push_str(&breaks);
        }
        self.tokens.push_back(Token { kind: TokenKind::Scalar { text, plain: false }, span: Span { start, end } });
        Ok(())
    }

    /// Reads the line with the `|` or `>`, and returns its chomping and indentation.
    fn block_header(&mut self) -> Result<(Chomp, Option<i64>), Error> {
        let mark = char::from(self.reader.byte(0));
        self.reader.skip(1);
        let mut chomp = None;
        let mut indentation = None;
        loop {
            match self.reader.byte(0) {
                b'+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                b'-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                b'0' if indentation.is_none() => return Err(self.error(Syntax::ZeroIndentation)),
                digit @ b'1'..=b'9' if indentation.is_none() => indentation = Some(i64::from(digit - b'0')),
                _ => break,
            }
            self.reader.skip(1);
        }
        self.reader.take_while(|byte| matches!(byte, b' ' | b'\t'));
        if self.reader.byte(0) == b'#' {
            self.comment();
        }
        if self.reader.is_break(0) {
            self.reader.take_break();
        } else if !self.reader.is_end(0) {
            return Err(self.error(Syntax::BlockHeader(mark)));
        }
        Ok((chomp.unwrap_or(Chomp::Clip), indentation))
    }

    /// Reads indentation and empty lines up to the next line of the text, and detects the indentation if necessary.
    fn block_breaks(&mut self, indent: &mut i64, breaks: &mut String, end: &mut Place) -> Result<(), Error> {
        let mut deepest = 0;
        *end = self.reader.place();
        loop {
            while (*indent == 0 || self.reader.column() < *indent) && self.reader.byte(0) == b' ' {
                self.reader.skip(1);
            }
            deepest = deepest.max(self.reader.column());
            if (*indent == 0 || self.reader.column() < *indent) && self.reader.byte(0) == b'\t' {
                return Err(self.error(Syntax::Tab));
            }
            if !self.reader.is_break(0) {
                break;
            }
            breaks.push(self.reader.take_break());
            *end = self.reader.place();
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
