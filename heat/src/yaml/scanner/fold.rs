//! The space between two words of a text, which is folded if it contains line breaks.

use super::Scanner;

/// Blanks, or line breaks with the blanks around them.
#[derive(Debug, Default)]
pub(super) struct Gap {
    blanks: String,
    /// Whether there was a line break.
    pub(super) broken: bool,
    /// The first line break. `None` if it was escaped.
    first: Option<char>,
    /// Further line breaks.
    more: String,
}

impl Gap {
    /// A gap that begins with an escaped line break.
    pub(super) fn escaped() -> Self {
        Self { broken: true, ..Self::default() }
    }

    /// Appends the meaning of the gap to the text before it, and becomes empty.
    pub(super) fn write(&mut self, text: &mut String) {
        match self.first {
            Some('\n') if self.more.is_empty() => text.push(' '),
            Some('\n') | None => {}
            Some(other) => text.push(other),
        }
        text.push_str(&self.blanks);
        text.push_str(&self.more);
        self.blanks.clear();
        self.more.clear();
        self.first = None;
        self.broken = false;
    }
}

impl Scanner<'_> {
    /// Reads line breaks and blanks, up to a tab or to blanks that `stop` refuses.
    pub(super) fn gap(&mut self, gap: &mut Gap, stop: impl Fn(&Self) -> bool) -> bool {
        loop {
            let blanks = self.reader.take_while(|byte| byte == b' ');
            if !gap.broken {
                gap.blanks.push_str(blanks);
            }
            if self.reader.byte(0) == b'\t' {
                if gap.broken && stop(self) {
                    return false;
                }
                self.reader.skip(1);
                if !gap.broken {
                    gap.blanks.push('\t');
                }
            } else if self.reader.is_break(0) {
                let meaning = self.reader.take_break();
                if gap.broken {
                    gap.more.push(meaning);
                } else {
                    gap.blanks.clear();
                    gap.broken = true;
                    gap.first = Some(meaning);
                }
            } else {
                return true;
            }
        }
    }
}
