//! The tokens of YAML's grammar.

use super::Span;

/// A token and its place.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The kinds of tokens.
///
/// Structure that indentation implies has its own tokens (`BlockListStart`, `BlockMapStart`, `BlockEnd`). So does the start
/// of each key (`Key`), whose `:` may come much later.
#[derive(Debug, PartialEq)]
pub(super) enum TokenKind {
    End,
    Version {
        major: u32,
        minor: u32,
    },
    TagPrefix {
        handle: String,
        prefix: String,
    },
    /// `---`
    DocumentStart,
    /// `...`
    DocumentEnd,
    BlockListStart,
    BlockMapStart,
    BlockEnd,
    /// `[`
    FlowListStart,
    /// `]`
    FlowListEnd,
    /// `{`
    FlowMapStart,
    /// `}`
    FlowMapEnd,
    /// `- `
    Entry,
    /// `,`
    Comma,
    /// `? `, or implied before a key whose `:` follows.
    Key,
    /// `: `
    Value,
    Alias(String),
    Anchor(String),
    Tag {
        handle: String,
        suffix: String,
    },
    Scalar {
        text: String,
        plain: bool,
    },
}

impl TokenKind {
    /// Its name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::End => "the end of the text",
            Self::Version { .. } | Self::TagPrefix { .. } => "a directive",
            Self::DocumentStart => "`---`",
            Self::DocumentEnd => "`...`",
            Self::BlockListStart | Self::Entry => "an entry of a list (`- `)",
            Self::BlockMapStart | Self::Key => "a key",
            Self::BlockEnd => "less indentation",
            Self::FlowListStart => "`[`",
            Self::FlowListEnd => "`]`",
            Self::FlowMapStart => "`{`",
            Self::FlowMapEnd => "`}`",
            Self::Comma => "`,`",
            Self::Value => "`:`",
            Self::Alias(_) => "an alias",
            Self::Anchor(_) => "an anchor",
            Self::Tag { .. } => "a tag",
            Self::Scalar { .. } => "text",
        }
    }
}
