//! Why a text is not read.

use std::fmt;

use thiserror::Error;

use super::{DEPTH, NODES, Span, Syntax};

/// Why a text is not read, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// What is wrong.
    pub problem: Problem,
    /// Where.
    pub span: Span,
    /// What it has to do with, and where that is: the first of two equal anchors, the bracket that is not closed.
    pub context: Option<(String, Span)>,
}

impl Error {
    pub(super) fn new(problem: impl Into<Problem>, span: Span) -> Self {
        Self { problem: problem.into(), span, context: None }
    }

    pub(super) fn with(self, context: &str, span: Span) -> Self {
        Self { context: Some((context.to_owned(), span)), ..self }
    }

    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        self.problem.help()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}

/// All of it, in one line.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at {}", self.problem, self.span.start)?;
        if let Some((context, span)) = &self.context {
            write!(f, " ({context} at {})", span.start)?;
        }
        self.help().map_or(Ok(()), |help| write!(f, ": {help}"))
    }
}

/// What is wrong with a text.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Problem {
    /// The grammar.
    #[error(transparent)]
    Syntax(#[from] Syntax),
    /// More bytes than [`super::BYTES`].
    #[error("the text has {bytes} bytes, more than {} can be a template", super::BYTES)]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Bytes that are no UTF-8.
    #[error("the bytes are no text in UTF-8")]
    NotUtf8,
    /// UTF-16, by its byte order mark.
    #[error("the text is in UTF-16")]
    Utf16,
    /// Deeper than [`DEPTH`].
    #[error("nested more than {DEPTH} levels deep, which is not read; Heat itself ends a little further")]
    TooDeep,
    /// More than [`NODES`].
    #[error("with all aliases written out this has more than {NODES} values, which Heat cannot read")]
    TooMany,
    /// A second document.
    #[error("a second document begins here; a template is a single one")]
    SecondDocument,
    /// An alias of nothing.
    #[error("the alias `*{0}` names nothing: no anchor `&{0}` comes before it")]
    UnknownAlias(String),
    /// An alias within what it names.
    #[error("the alias `*{0}` stands within what it names")]
    CyclicAlias(String),
    /// Two anchors of one name.
    #[error("the anchor `&{0}` is set a second time")]
    DuplicateAnchor(String),
    /// A tag that Heat's reader does not know.
    #[error("Heat knows no tag `{}`", short(.0))]
    UnknownTag(String),
    /// A tag of what Heat cannot store.
    #[error("the tag `{}` makes what Heat cannot go on with", short(.0))]
    UnusableTag(String),
    /// A tag on what it does not fit.
    #[error("the tag `{}` does not fit {found}", short(tag))]
    Mistagged {
        /// The tag.
        tag: String,
        /// What it is on.
        found: String,
    },
    /// A list or a map as a key.
    #[error("{0} cannot be a key")]
    KeyOf(&'static str),
    /// A merge of what is no map.
    #[error("only a map, or a list of maps, can be merged by `<<`, and this is {0}")]
    Merge(&'static str),
    /// A number that is none, or too large.
    #[error("`{0}` looks like an integer, but is not one")]
    NotAnInteger(String),
    /// An integer of more than 38 digits.
    #[error("the integer `{0}` is too large")]
    TooLarge(String),
    /// A float that is none.
    #[error("`{0}` looks like a float, but is not one")]
    NotAFloat(String),
    /// A `<<` that is no key.
    #[error("`<<` merges a map into another and can only be a key")]
    MergeAsValue,
    /// A plain `=` that is no key.
    #[error("a plain `=` cannot be read")]
    EqualsAsValue,
    /// A character that no YAML has.
    #[error("the character U+{:04X} cannot stand in YAML", u32::from(*.0))]
    Unprintable(char),
    /// A half of a surrogate pair in JSON.
    #[error("the escape `\\u{0:04x}` is half a character")]
    Surrogate(u16),
}

impl Problem {
    /// How to fix it, where that is more than to read what is wrong.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Syntax(syntax) => return syntax.help(),
            Self::NotUtf8 | Self::Utf16 => "save the file as UTF-8",
            Self::UnknownAlias(_) => "quote the text if the `*` belongs to it",
            Self::Mistagged { .. } | Self::UnusableTag(_) => "remove the tag",
            Self::UnknownTag(_) => "quote the text if the `!` belongs to it",
            Self::KeyOf("a map") => "quote the text if the `{` belongs to it",
            Self::NotAnInteger(_)
            | Self::TooLarge(_)
            | Self::NotAFloat(_)
            | Self::MergeAsValue
            | Self::EqualsAsValue => "quote it if it is meant as text",
            Self::Unprintable(_) => "write it as an escape in double quotes",
            Self::Surrogate(_) => "write the character itself, or both halves of its pair",
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// A tag as it is written.
fn short(tag: &str) -> String {
    tag.strip_prefix("tag:yaml.org,2002:").map_or_else(|| tag.to_owned(), |tag| format!("!!{tag}"))
}
