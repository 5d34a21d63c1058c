//! The layout of JSON: a line for each part of a section, and each part dense.

use std::io;

use serde_json::ser::Formatter;

/// Breaks lines in the outermost two levels only.
pub(super) struct Lines {
    depth: usize,
    filled: bool,
}

impl Lines {
    const BROKEN_LEVELS: usize = 2;

    pub(super) fn new() -> Self {
        Self { depth: 0, filled: false }
    }

    fn open<W: io::Write + ?Sized>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(&[bracket])
    }

    fn close<W: io::Write + ?Sized>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        let broken = self.filled && self.depth <= Self::BROKEN_LEVELS;
        self.depth -= 1;
        self.filled = true;
        if broken {
            self.break_line(out)?;
        }
        out.write_all(&[bracket])
    }

    fn part<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.filled = true;
        if self.depth <= Self::BROKEN_LEVELS {
            if !first {
                out.write_all(b",")?;
            }
            self.break_line(out)
        } else if first {
            Ok(())
        } else {
            out.write_all(b", ")
        }
    }

    fn break_line<W: io::Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        const BREAK: &[u8] = b"\n    ";
        out.write_all(&BREAK[..=2 * self.depth])
    }
}

impl Formatter for Lines {
    #[inline]
    fn begin_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'[')
    }

    #[inline]
    fn end_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b']')
    }

    #[inline]
    fn begin_array_value<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.part(out, first)
    }

    #[inline]
    fn begin_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'{')
    }

    #[inline]
    fn end_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b'}')
    }

    #[inline]
    fn begin_object_key<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.part(out, first)
    }

    #[inline]
    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
