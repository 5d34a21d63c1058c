//! Why a text is not read.

use thiserror::Error;

use super::{DEPTH, NODES, Span};

/// Why a text is not read, and where.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{problem} at {}", span.start)]
pub struct Error {
    /// What is wrong.
    #[source]
    pub problem: Problem,
    /// Where.
    pub span: Span,
    /// What it has to do with, and where that is: the first of two equal anchors, the bracket that is not closed.
    pub context: Option<(String, Span)>,
}

/// What is wrong with a text.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The grammar, in libyaml's words.
    #[error("{0}")]
    Syntax(String),
    /// More bytes than [`super::BYTES`].
    #[error("the text has {bytes} bytes, more than {} can be a template", super::BYTES)]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Deeper than [`DEPTH`].
    #[error("nested more than {DEPTH} levels deep, which Heat cannot read")]
    TooDeep,
    /// More values than [`NODES`].
    #[error("with all aliases written out this has more than {NODES} values, which Heat cannot read")]
    TooMany,
    /// A second document.
    #[error("a second document begins here; a template is a single one")]
    SecondDocument,
    /// An alias within what it names.
    #[error("this alias stands within what it names")]
    CyclicAlias,
    /// A tag that Heat's reader does not know, or that makes what JSON does not have.
    #[error("Heat knows no tag `{0}`")]
    UnknownTag(String),
    /// A tag on what it does not fit.
    #[error("the tag `{tag}` does not fit {found}")]
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
    #[error("`{0}` reads as an integer, and is none: quote it if it is meant as text")]
    NotAnInteger(String),
    /// A float that is none.
    #[error("`{0}` reads as a float, and is none: quote it if it is meant as text")]
    NotAFloat(String),
    /// A `<<` that is no key.
    #[error("`<<` merges a map into another and can only be a key: quote it if it is meant as text")]
    MergeAsValue,
    /// A plain `=` that is no key.
    #[error("a plain `=` cannot be read: quote it")]
    EqualsAsValue,
    /// A character that no YAML has.
    #[error("the character U+{:04X} cannot stand in YAML: write it as an escape in double quotes", u32::from(*.0))]
    Unprintable(char),
}
