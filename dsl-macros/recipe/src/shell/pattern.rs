//! Patterns of `case`, whose words are not commands.

use super::word::{TokenKind, Word};

/// A pattern while it is read.
#[derive(Default)]
pub(super) struct Pattern {
    begun: bool,
    /// How many parentheses of its own are open, as in `@(a|b)`.
    depth: u32,
}

impl Pattern {
    /// The pattern after the next token; nothing once it is over.
    pub(super) fn goes_on(mut self, kind: &TokenKind) -> Option<Self> {
        match kind {
            TokenKind::Word(word) if !self.begun && word.bare() == Some("esac") => return None,
            TokenKind::Newline => return Some(self),
            // The one in front of the first word belongs to nothing.
            TokenKind::Op("(") if self.begun => self.depth += 1,
            TokenKind::Op(")") if self.depth == 0 => return None,
            TokenKind::Op(")") => self.depth -= 1,
            TokenKind::Word(_) | TokenKind::Op(_) | TokenKind::Heredoc(_) => {}
        }
        self.begun = true;
        Some(self)
    }
}

/// Whether `in` after these words begins the patterns of a `case`.
pub(super) fn heads_case(words: &[Word]) -> bool {
    words.len() == 2 && words[0].bare() == Some("case")
}
