//! Opening and closing of compound commands.

use crate::analysis::SyntaxError;

/// A compound command that is not closed yet.
pub(super) struct Open {
    pub(super) kind: Compound,
    pub(super) line: u32,
    /// The word that began the current list.
    pub(super) section: &'static str,
    /// Its number in the order in which they begin.
    pub(super) number: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Compound {
    If,
    While,
    Until,
    For,
    Select,
    Case,
    Brace,
    Paren,
}

impl Compound {
    pub(super) fn opening(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::While => "while",
            Self::Until => "until",
            Self::For => "for",
            Self::Select => "select",
            Self::Case => "case",
            Self::Brace => "{",
            Self::Paren => "(",
        }
    }

    pub(super) fn closing(self) -> &'static str {
        match self {
            Self::If => "fi",
            Self::While | Self::Until | Self::For | Self::Select => "done",
            Self::Case => "esac",
            Self::Brace => "}",
            Self::Paren => ")",
        }
    }
}

impl Open {
    pub(super) fn unclosed(&self) -> SyntaxError {
        let (opening, closing) = (self.kind.opening(), self.kind.closing());
        let missing = match (self.kind, self.section) {
            (Compound::If, "if" | "elif") => "`then` and `fi`",
            (Compound::While | Compound::Until, "while" | "until") => "`do` and `done`",
            _ => return SyntaxError::new(self.line, format!("`{opening}` is never closed by `{closing}`")),
        };
        SyntaxError::new(self.line, format!("`{opening}` is never closed: it lacks {missing}"))
    }
}
