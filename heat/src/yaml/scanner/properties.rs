//! Anchors, aliases and tags.

use super::{Error, Place, Scanner, Span, Syntax, TokenKind};

/// Whether a name can contain the byte.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

impl Scanner<'_> {
    pub(super) fn anchor(&mut self) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.reader.place();
        let mark = char::from(self.reader.byte(0));
        self.reader.skip(1);
        let name = self.reader.take_while(is_name);
        let ends = self.reader.is_gap(0) || b"?:,]}%@`".contains(&self.reader.byte(0));
        if name.is_empty() || !ends {
            let end = self.reader.place();
            return Err(Error::new(Syntax::AnchorName(mark), Span { start, end }));
        }
        let name = name.to_owned();
        self.push(if mark == '&' { TokenKind::Anchor(name) } else { TokenKind::Alias(name) }, start);
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.reader.place();
        let (handle, suffix) = if self.reader.byte(1) == b'<' {
            self.reader.skip(2);
            let tag = self.uri(true)?;
            if tag.is_empty() || self.reader.byte(0) != b'>' {
                return Err(self.tag_error(start, "a `>` is missing, or the text before it"));
            }
            self.reader.skip(1);
            (String::new(), tag)
        } else {
            let handle = self.tag_handle();
            let rest = self.uri(false)?;
            match handle.strip_prefix('!') {
                Some(short) if short.ends_with('!') => {
                    if rest.is_empty() {
                        return Err(self.tag_error(start, "nothing follows the second `!`"));
                    }
                    (handle, rest)
                }
                // A `!` on its own is a tag.
                Some("") if rest.is_empty() => (rest, handle),
                short => ("!".to_owned(), short.unwrap_or_default().to_owned() + &rest),
            }
        };
        let ends = self.reader.is_gap(0) || !self.is_block() && self.reader.byte(0) == b',';
        if !ends {
            return Err(self.tag_error(start, "text follows it without a space"));
        }
        self.push(TokenKind::Tag { handle, suffix }, start);
        Ok(())
    }

    fn tag_error(&self, start: Place, reason: &'static str) -> Error {
        Error::new(Syntax::Tag(reason), Span { start, end: self.reader.place() })
    }

    /// `!`, `!!` or `!name!`. Also `!name`, which is not a handle.
    pub(super) fn tag_handle(&mut self) -> String {
        self.reader.skip(1);
        let mut handle = format!("!{}", self.reader.take_while(is_name));
        if self.reader.byte(0) == b'!' {
            self.reader.skip(1);
            handle.push('!');
        }
        handle
    }

    /// What follows a handle.
    pub(super) fn uri(&mut self, bracketed: bool) -> Result<String, Error> {
        let mut uri = String::new();
        loop {
            uri.push_str(self.reader.take_while(|byte| {
                is_name(byte) || b";/?:@&=+$.!~*'()".contains(&byte) || bracketed && b",[]".contains(&byte)
            }));
            if self.reader.byte(0) != b'%' {
                return Ok(uri);
            }
            uri.push(self.uri_escape()?);
        }
    }

    /// A character given as the bytes of its UTF-8 form, each as `%` and two digits.
    fn uri_escape(&mut self) -> Result<char, Error> {
        let start = self.reader.place();
        let mut octets = Vec::new();
        loop {
            let digits = self.reader.rest().strip_prefix('%').and_then(|rest| rest.get(..2));
            let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let Some(octet) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
                return Err(self.tag_error(start, "`%` needs two hexadecimal digits of UTF-8 after it"));
            };
            self.reader.skip(3);
            octets.push(octet);
            match std::str::from_utf8(&octets) {
                Ok(text) => return Ok(text.chars().next().expect("INVARIANT: there is an octet")),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return Err(self.tag_error(start, "`%` needs two hexadecimal digits of UTF-8 after it")),
            }
        }
    }
}
