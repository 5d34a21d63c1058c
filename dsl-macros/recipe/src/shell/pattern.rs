//! Patterns of `case`, whose words are not commands.

use super::word::{TokenKind, Word};

/// A pattern that is being read.
#[derive(Default)]
pub(super) struct Pattern {
    begun: bool,
    /// The number of its own open parentheses, as in `@(a|b)`.
    depth: u32,
}

impl Pattern {
    /// The pattern after the next token; `None` once it has ended.
    pub(super) fn goes_on(mut self, kind: &TokenKind) -> Option<Self> {
        match kind {
            TokenKind::Word(word) if !self.begun && word.bare() == Some("esac") => return None,
            TokenKind::Newline => return Some(self),
            // A parenthesis before the first word is not part of the pattern.
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
