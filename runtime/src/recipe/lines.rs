//! The output of a recipe, line by line, in bounded memory. Control characters have been removed before
//! ([`super::mask`]).

use std::collections::VecDeque;
use std::fmt::Write as _;

/// The maximum number of bytes kept of a line; the rest is counted.
const LINE: usize = 4096;
/// The maximum number of lines reported with a failure.
pub(crate) const TAIL_LINES: usize = 40;
/// The maximum number of bytes of these lines; the last line is always included.
pub(crate) const TAIL_BYTES: usize = 8192;

/// Cuts a stream of bytes into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    // The number of bytes of the line that were not kept.
    cut: u64,
    // Whether the last byte was a carriage return: the next text replaces the line, as on a terminal.
    returned: bool,
}

impl Lines {
    /// Adds `bytes`, and passes each line that they complete to `sink`.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(String)) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.add(&rest[..at]);
            self.end(sink);
            rest = &rest[at + 1..];
        }
        self.add(rest);
    }

    /// Passes on the remaining line without an end.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(String)) {
        if !self.line.is_empty() {
            self.end(sink);
        }
    }

    fn end(&mut self, sink: &mut impl FnMut(String)) {
        let mut line = String::from_utf8_lossy(&self.line).into_owned();
        if self.cut > 0 {
            let bytes = if self.cut == 1 { "byte" } else { "bytes" };
            let _ = write!(line, "… ({} {bytes} more)", self.cut);
        }
        self.line.clear();
        self.cut = 0;
        self.returned = false;
        sink(line);
    }

    fn add(&mut self, mut part: &[u8]) {
        while let Some(first) = part.first() {
            if self.returned && *first != b'\r' {
                self.line.clear();
                self.cut = 0;
                self.returned = false;
            }
            let at = part.iter().position(|byte| *byte == b'\r');
            let kept = &part[..at.unwrap_or(part.len())];
            let room = LINE.saturating_sub(self.line.len()).min(kept.len());
            self.line.extend_from_slice(&kept[..room]);
            self.cut += (kept.len() - room) as u64;
            self.returned = at.is_some();
            part = at.map_or(&[][..], |at| &part[at + 1..]);
        }
    }
}

/// The last lines of what a recipe printed.
#[derive(Debug, Default)]
pub(super) struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    /// Adds a line.
    pub(super) fn push(&mut self, line: String) {
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.lines.len() > TAIL_LINES || (self.bytes > TAIL_BYTES && self.lines.len() > 1) {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len() + 1);
        }
    }

    /// The last line that is not empty.
    pub(super) fn last(&self) -> Option<&str> {
        self.lines.iter().rev().map(String::as_str).find(|line| !line.trim().is_empty())
    }

    /// The lines, in order.
    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE, Lines, TAIL_BYTES, TAIL_LINES, Tail};

    fn lines(parts: &[&[u8]]) -> Vec<String> {
        let mut found = Vec::new();
        let mut lines = Lines::default();
        for part in parts {
            lines.push(part, &mut |line| found.push(line));
        }
        lines.finish(&mut |line| found.push(line));
        found
    }

    #[test]
    fn lines_are_cut_wherever_the_stream_is() {
        assert_eq!(lines(&[b"a\nb", b"c\n\nd"]), ["a", "bc", "", "d"]);
        assert_eq!(lines(&[b"a\r", b"\nb\r\n"]), ["a", "b"]);
        assert_eq!(lines(&[b"a\n"]), ["a"]);
    }

    #[test]
    fn a_carriage_return_begins_the_line_anew() {
        assert_eq!(lines(&[b"10%\r20%\r", b"100%\ndone\r\r\n"]), ["100%", "done"]);
    }

    #[test]
    fn an_endless_line_is_cut_and_counted() {
        let found = lines(&[&[b'x'; 3 * LINE], b"\nafter\n"]);
        assert_eq!(found[0], format!("{}… ({} bytes more)", "x".repeat(LINE), 2 * LINE));
        assert_eq!(found[1], "after");
    }

    #[test]
    fn invalid_text_does_no_harm() {
        assert_eq!(lines(&[b"a\xff\xfeb\n"]), ["a\u{fffd}\u{fffd}b"]);
    }

    #[test]
    fn the_tail_is_bounded_in_lines_and_bytes() {
        let mut tail = Tail::default();
        (0..1000).for_each(|i| tail.push(i.to_string()));
        assert_eq!(tail.last(), Some("999"));
        assert_eq!(tail.into_lines().len(), TAIL_LINES);
        let mut tail = Tail::default();
        (0..10).for_each(|_| tail.push("x".repeat(LINE)));
        assert_eq!(tail.into_lines().len(), TAIL_BYTES / (LINE + 1));
    }
}
