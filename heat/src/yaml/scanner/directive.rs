//! Lines that begin with `%`.

use super::properties::is_name;
use super::{Error, Place, Scanner, Span, Syntax, TokenKind};

impl Scanner<'_> {
    pub(super) fn directive(&mut self) -> Result<(), Error> {
        self.close_indents(-1);
        self.forget_last_key()?;
        self.key_allowed = false;
        let start = self.reader.place();
        self.reader.skip(1);
        let name = self.reader.take_while(is_name);
        let kind = match name {
            "YAML" if self.reader.is_gap(0) => self.version(start)?,
            "TAG" if self.reader.is_gap(0) => self.tag_prefix(start)?,
            _ => return Err(self.directive_error(start, Syntax::Directive(name.to_owned()))),
        };
        self.push(kind, start);
        self.blanks();
        if self.reader.byte(0) == b'#' {
            self.reader.take_line();
        }
        if self.reader.is_break(0) {
            self.reader.take_break();
        } else if !self.reader.is_end(0) {
            return Err(self.directive_error(start, Syntax::DirectiveForm("something follows it")));
        }
        Ok(())
    }

    fn blanks(&mut self) {
        self.reader.take_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn directive_error(&self, start: Place, problem: Syntax) -> Error {
        Error::new(problem, Span { start, end: self.reader.place() })
    }

    fn version(&mut self, start: Place) -> Result<TokenKind, Error> {
        self.blanks();
        let number = |scanner: &mut Self| {
            let digits = scanner.reader.take_while(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| digits.len() <= 9)
        };
        let major = number(self);
        let point = self.reader.byte(0) == b'.';
        if let (Some(major), true) = (major, point) {
            self.reader.skip(1);
            if let Some(minor) = number(self) {
                return Ok(TokenKind::Version { major, minor });
            }
        }
        Err(self.directive_error(start, Syntax::DirectiveForm("`%YAML` needs a version such as `1.1` after it")))
    }

    fn tag_prefix(&mut self, start: Place) -> Result<TokenKind, Error> {
        const FORM: &str = "`%TAG` needs a name such as `!name!`, a space and a prefix after it";
        self.blanks();
        let fail = |scanner: &Self| Err(scanner.directive_error(start, Syntax::DirectiveForm(FORM)));
        if self.reader.byte(0) != b'!' {
            return fail(self);
        }
        let handle = self.tag_handle();
        if !handle.ends_with('!') || !self.reader.is_blank(0) {
            return fail(self);
        }
        self.blanks();
        let prefix = self.uri(true)?;
        if prefix.is_empty() || !self.reader.is_gap(0) {
            return fail(self);
        }
        Ok(TokenKind::TagPrefix { handle, prefix })
    }
}
