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
    /// Whether the line is one of Jinja's, which is no YAML before it is rendered.
    pub is_jinja: bool,
    /// What else is wrong: with other single values behind it.
    pub others: Vec<Error>,
}

impl Error {
    pub(super) fn new(problem: impl Into<Problem>, span: Span) -> Self {
        Self { problem: problem.into(), span, context: None, is_jinja: false, others: Vec::new() }
    }

    pub(super) fn with(self, context: &str, span: Span) -> Self {
        Self { context: Some((context.to_owned(), span)), ..self }
    }

    /// The same of a text in which this may stand on a line of Jinja's.
    pub(super) fn within(self, text: &str) -> Self {
        let line = text.lines().nth(self.span.start.line as usize).unwrap_or_default();
        let pairs = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];
        let is_jinja = pairs.iter().any(|(opens, closes)| {
            line.split_once(opens)
                .is_some_and(|(_, rest)| rest.contains(closes) || line.trim_start().starts_with(opens))
        });
        let others = self.others.into_iter().map(|other| other.within(text)).collect();
        Self { is_jinja, others, ..self }
    }

    /// It and what else is wrong.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        if self.is_jinja {
            let help = "this looks like a template of Jinja, which Heat does not know: render it first, or use HOT's own parameters, \
                        `repeat` and conditions; quote the text if it is meant as it stands";
            return Some(help.to_owned());
        }
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
            Self::UnknownTag(tag) => return Some(of_tag(tag)),
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

/// What HOT has for a short form of `CloudFormation`'s, for which Heat has no tags in any of its formats.
fn of_tag(tag: &str) -> String {
    let other = match tag {
        "!Ref" => "`{get_resource: NAME}`, or `{get_param: NAME}` of a parameter",
        "!GetAtt" => "`{get_attr: [NAME, ATTRIBUTE]}`",
        "!Sub" => "`{str_replace: {template: TEXT, params: {WORD: VALUE}}}`",
        "!Join" => "`{list_join: [DELIMITER, [ITEM, ...]]}`",
        "!Select" => "the item's number behind the name, as in `{get_param: [NAME, 0]}`",
        "!Split" => "`{str_split: [DELIMITER, TEXT]}`",
        "!FindInMap" => "a parameter of the type `json`: `{get_param: [NAME, KEY, KEY]}`",
        "!If" => "`{if: [CONDITION, VALUE, VALUE]}`",
        "!Equals" => "`{equals: [VALUE, VALUE]}`",
        "!Not" => "`{not: CONDITION}`",
        "!And" => "`{and: [CONDITION, ...]}`",
        "!Or" => "`{or: [CONDITION, ...]}`",
        "!Condition" => "the condition's name",
        "!Base64" => "the text itself: Heat encodes user data by itself",
        "!GetAZs" | "!ImportValue" | "!Cidr" | "!Transform" | "!Length" | "!ToJsonString" => "nothing of the kind",
        _ => return "quote the text if the `!` belongs to it".to_owned(),
    };
    format!("`{tag}` is CloudFormation's short form; HOT has {other}")
}
