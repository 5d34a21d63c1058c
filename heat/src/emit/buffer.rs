//! Between the YAML serialiser, which writes by the word and the blank, and a file.

use std::{fmt, io};

/// Bytes that are gathered before they are written.
pub(super) const FULL: usize = 64 * 1024;

/// Gathers text for `out`, and keeps the error that [`fmt::Write`] cannot carry.
///
/// It also leaves out the indentation of the empty lines of a literal block, as a person would. The serialiser writes
/// the indentation and the line's own text as two pieces, so blanks that belong to the text are told apart and stay.
pub(super) struct Buffer<'a, W> {
    text: String,
    /// Where the line began, if it holds nothing but one piece of blanks.
    indented: Option<usize>,
    out: &'a mut W,
    failed: Option<io::Error>,
}

impl<'a, W: io::Write> Buffer<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Self { text: String::with_capacity(FULL + FULL / 8), indented: None, out, failed: None }
    }

    /// Writes what is left, or tells why an earlier write failed.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.failed {
            Some(error) => Err(error),
            None => self.out.write_all(self.text.as_bytes()),
        }
    }

    #[cold]
    fn flush(&mut self) -> fmt::Result {
        let written = self.out.write_all(self.text.as_bytes());
        self.text.clear();
        written.map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}

impl<W: io::Write> fmt::Write for Buffer<'_, W> {
    #[inline]
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.is_empty() {
            return Ok(());
        }
        let blank = piece.bytes().all(|byte| byte == b' ');
        let at_start = self.text.is_empty() || self.text.ends_with('\n');
        self.indented = (blank && at_start).then_some(self.text.len());
        self.text.push_str(piece);
        Ok(())
    }

    #[inline]
    fn write_char(&mut self, piece: char) -> fmt::Result {
        if piece != '\n' {
            self.indented = None;
            self.text.push(piece);
            return Ok(());
        }
        if let Some(start) = self.indented.take() {
            self.text.truncate(start);
        }
        self.text.push('\n');
        // Only whole lines are let go, so a line that is being written can still be looked at.
        if self.text.len() < FULL { Ok(()) } else { self.flush() }
    }
}
