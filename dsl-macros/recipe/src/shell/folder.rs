//! Substitutions that yield the folder of the recipe's file.

use super::word::{Part, Token, TokenKind, Word};

/// The result of a substitution, as far as it concerns that folder: `$(dirname "$0")`, `$(cd "$(dirname "$0")" && pwd)`.
pub(super) fn folder(tokens: &[Token]) -> Part {
    if !may_tell(tokens) {
        return Part::Unknown;
    }
    let mut seen = Seen::default();
    seen.all(tokens);
    Part::Folder { is_sure: seen.folders == 1 && seen.names == 1 && !seen.others }
}

/// The content of a substitution.
#[derive(Default)]
struct Seen {
    /// The number of times that the folder of a path is taken.
    folders: u32,
    /// The number of times that the script's own path is mentioned.
    names: u32,
    /// Whether it contains anything that may lead elsewhere.
    others: bool,
}

impl Seen {
    fn all(&mut self, tokens: &[Token]) {
        for token in tokens {
            match &token.kind {
                TokenKind::Word(word) => self.word(word),
                TokenKind::Op("&&" | ";" | ">" | "<" | "2>") | TokenKind::Newline => {}
                TokenKind::Op(_) | TokenKind::Heredoc(_) => self.others = true,
            }
        }
    }

    fn word(&mut self, word: &Word) {
        for part in &word.parts {
            match part {
                Part::Text { text, .. } if text == "dirname" => self.folders += 1,
                Part::Text { text, .. } => {
                    let is_plain = text.starts_with('-') || matches!(text.as_str(), "/dev/null" | "2" | "1" | "");
                    let is_program = ["cd", "pwd", "readlink", "realpath", "exec", "builtin", "command"];
                    self.others |= !is_plain && !is_program.contains(&text.as_str());
                }
                Part::Var(name) if matches!(name.as_str(), "0" | "BASH_SOURCE") => self.names += 1,
                Part::Folder { is_sure: true } => (self.folders, self.names) = (self.folders + 1, self.names + 1),
                Part::Script(tokens) => self.all(tokens),
                Part::Var(_) | Part::Process { .. } | Part::Folder { .. } | Part::Unknown => self.others = true,
            }
        }
    }
}

/// Whether a substitution may yield the recipe's folder.
fn may_tell(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match &token.kind {
        TokenKind::Word(word) => {
            matches!(word.literal(), Some("dirname" | "readlink" | "realpath" | "pwd" | "git"))
                || word.parts.iter().any(|part| match part {
                    Part::Var(name) => matches!(name.as_str(), "0" | "BASH_SOURCE" | "PWD"),
                    Part::Script(tokens) => may_tell(tokens),
                    Part::Folder { .. } => true,
                    Part::Text { .. } | Part::Process { .. } | Part::Unknown => false,
                })
        }
        _ => false,
    })
}
