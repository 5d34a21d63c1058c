//! Between the YAML serialiser, which writes by the word and the blank, and a file.

use std::{fmt, io};

/// Bytes that are gathered before they are written.
pub(super) const FULL: usize = 64 * 1024;

/// Gathers text for `out`, and keeps the error that [`fmt::Write`] cannot carry.
pub(super) struct Buffer<'a, W> {
    text: String,
    out: &'a mut W,
    failed: Option<io::Error>,
}

impl<'a, W: io::Write> Buffer<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Self {
            text: String::with_capacity(FULL + FULL / 8),
            out,
            failed: None,
        }
    }

    /// Writes what is left, or tells why an earlier write failed.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.failed.is_none() {
            let _ = self.flush();
        }
        self.failed.map_or(Ok(()), Err)
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
        self.text.push_str(piece);
        if self.text.len() < FULL {
            Ok(())
        } else {
            self.flush()
        }
    }

    #[inline]
    fn write_char(&mut self, piece: char) -> fmt::Result {
        self.text.push(piece);
        if self.text.len() < FULL {
            Ok(())
        } else {
            self.flush()
        }
    }
}
