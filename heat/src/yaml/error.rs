//! Why a text cannot be read.

use std::fmt;

use thiserror::Error;

use super::{DEPTH, NODES, Span, Syntax};

/// Why a text cannot be read, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// The problem.
    pub problem: Problem,
    /// Its place.
    pub span: Span,
    /// A related place with an explanation: the first of two equal anchors, or the bracket that is not closed.
    pub context: Option<(String, Span)>,
    /// Whether the line contains Jinja syntax, which is not YAML until it has been rendered.
    pub is_jinja: bool,
    /// Further problems, in other single values after this one.
    pub others: Vec<Error>,
}

impl Error {
    pub(super) fn new(problem: impl Into<Problem>, span: Span) -> Self {
        Self { problem: problem.into(), span, context: None, is_jinja: false, others: Vec::new() }
    }

    pub(super) fn with(self, context: &str, span: Span) -> Self {
        Self { context: Some((context.to_owned(), span)), ..self }
    }

    /// The same error, for a text in which it may be on a line of Jinja.
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

    /// This error and the further ones.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        if self.is_jinja {
            let help = "this looks like a Jinja template, which Heat does not support: render it first, or use HOT's own parameters, \
                        `repeat` and conditions; quote the text if it is meant literally";
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

/// The whole error in one line.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at {}", self.problem, self.span.start)?;
        if let Some((context, span)) = &self.context {
            write!(f, " ({context} at {})", span.start)?;
        }
        self.help().map_or(Ok(()), |help| write!(f, ": {help}"))
    }
}

/// A problem in a text.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Problem {
    /// The grammar is violated.
    #[error(transparent)]
    Syntax(#[from] Syntax),
    /// It has more bytes than [`super::BYTES`].
    #[error("the text has {bytes} bytes, but a template has at most {}", super::BYTES)]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The bytes are not UTF-8.
    #[error("the bytes are not UTF-8 text")]
    NotUtf8,
    /// It is UTF-16, according to its byte order mark.
    #[error("the text is in UTF-16")]
    Utf16,
    /// It is nested more deeply than [`DEPTH`].
    #[error("nested more than {DEPTH} levels deep, which is not supported; Heat's own limit is only slightly higher")]
    TooDeep,
    /// It has more values than [`NODES`].
    #[error("with all aliases expanded, this has more than {NODES} values, which Heat cannot read")]
    TooMany,
    /// There is a second document.
    #[error("a second document begins here, but a template is a single document")]
    SecondDocument,
    /// An alias has no anchor.
    #[error("the alias `*{0}` is undefined: no anchor `&{0}` comes before it")]
    UnknownAlias(String),
    /// An alias is within the value that it stands for.
    #[error("the alias `*{0}` is within the value that it names")]
    CyclicAlias(String),
    /// Two anchors have the same name.
    #[error("the anchor `&{0}` is defined a second time")]
    DuplicateAnchor(String),
    /// Heat's reader does not know a tag.
    #[error("Heat does not know the tag `{}`", short(.0))]
    UnknownTag(String),
    /// The tag `!!set`.
    #[error("the tag `!!set` creates a set, which JSON does not have: Heat's client sends a list in random order")]
    Set,
    /// The tag `!!binary`.
    #[error("the tag `!!binary` creates bytes, which JSON does not have: Heat's client fails if they are not text")]
    Binary,
    /// A tag does not fit its value.
    #[error("the tag `{}` does not fit {found}", short(tag))]
    Mistagged {
        /// The tag.
        tag: String,
        /// The type of that value.
        found: String,
    },
    /// A list or a map is used as a key.
    #[error("{0} cannot be a key")]
    KeyOf(&'static str),
    /// Something other than a map is merged.
    #[error("`<<` can merge only a map or a list of maps, but this is {0}")]
    Merge(&'static str),
    /// An integer is malformed or too large.
    #[error("`{0}` looks like an integer, but is not one")]
    NotAnInteger(String),
    /// An integer has more than 38 digits.
    #[error("the integer `{0}` is too large")]
    TooLarge(String),
    /// A float is malformed.
    #[error("`{0}` looks like a float, but is not one")]
    NotAFloat(String),
    /// A `<<` is not a key.
    #[error("`<<` merges a map into another and can only be a key")]
    MergeAsValue,
    /// A plain `=` is not a key.
    #[error("a plain `=` cannot be read")]
    EqualsAsValue,
    /// YAML does not allow a character.
    #[error("the character U+{:04X} is not allowed in YAML", u32::from(*.0))]
    Unprintable(char),
    /// JSON contains half a surrogate pair.
    #[error("the escape `\\u{0:04x}` is only half of a character")]
    Surrogate(u16),
}

impl Problem {
    /// How to fix it, if that needs more than reading the message.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Syntax(syntax) => return syntax.help(),
            Self::NotUtf8 | Self::Utf16 => "save the file as UTF-8",
            Self::UnknownAlias(_) => "quote the text if the `*` belongs to it",
            Self::Mistagged { .. } => "remove the tag",
            Self::Set => "write a list",
            Self::Binary => "write the text itself, or base64 without the tag",
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

/// The short form of a tag.
fn short(tag: &str) -> String {
    tag.strip_prefix("tag:yaml.org,2002:").map_or_else(|| tag.to_owned(), |tag| format!("!!{tag}"))
}

/// The HOT equivalent of a short form of `CloudFormation`'s. Heat has no tags for these in any of its formats.
fn of_tag(tag: &str) -> String {
    let other = match tag {
        "!Ref" => "`{get_resource: NAME}`, or `{get_param: NAME}` of a parameter",
        "!GetAtt" => "`{get_attr: [NAME, ATTRIBUTE]}`",
        "!Sub" => "`{str_replace: {template: TEXT, params: {WORD: VALUE}}}`",
        "!Join" => "`{list_join: [DELIMITER, [ITEM, ...]]}`",
        "!Select" => "the item's number after the name, as in `{get_param: [NAME, 0]}`",
        "!Split" => "`{str_split: [DELIMITER, TEXT]}`",
        "!FindInMap" => "a parameter of the type `json`: `{get_param: [NAME, KEY, KEY]}`",
        "!If" => "`{if: [CONDITION, VALUE, VALUE]}`",
        "!Equals" => "`{equals: [VALUE, VALUE]}`",
        "!Not" => "`{not: CONDITION}`",
        "!And" => "`{and: [CONDITION, ...]}`",
        "!Or" => "`{or: [CONDITION, ...]}`",
        "!Condition" => "the condition's name",
        "!Base64" => "the text itself: Heat encodes user data",
        "!GetAZs" | "!ImportValue" | "!Cidr" | "!Transform" | "!Length" | "!ToJsonString" => "no equivalent",
        _ => return "quote the text if the `!` belongs to it".to_owned(),
    };
    format!("`{tag}` is CloudFormation's short form; HOT has {other}")
}
