//! Violations of YAML's grammar, in words for the author of the text.

use thiserror::Error;

/// A violation of the grammar.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Syntax {
    /// A tab where indentation matters.
    #[error("a tab stands in the indentation")]
    Tab,
    /// A line among the entries of a map that is not an entry.
    #[error("`{word}` stands where an entry `key: value` belongs")]
    NoColon {
        /// The line, or its beginning.
        word: String,
    },
    /// A `: ` in a value.
    #[error("a second `: ` in one line")]
    SecondColon,
    /// A `: ` in text that spans lines.
    #[error("this `:` stands within the text that begins at line {line}, and makes no entry")]
    ColonInText {
        /// The line of the text, from 1.
        line: u32,
        /// Whether the first line of that text contains a colon that does not make a key, because no space separates it from
        /// the value.
        tight: bool,
    },
    /// A key without `? ` that is too long.
    #[error("a key that is longer than 1024 characters")]
    LongKey,
    /// A `:` without a space after it.
    #[error("a `:` stands directly before a bracket, comma or `?`")]
    TightColon,
    /// A `: ` elsewhere.
    #[error("a `:` cannot stand here")]
    Colon,
    /// A list where none can begin.
    #[error("a list cannot begin here, behind something else in the line")]
    Entry,
    /// A `? ` where none is allowed.
    #[error("a key that begins with `? ` cannot stand here")]
    ComplexKey,
    /// A character that cannot begin anything.
    #[error("text cannot begin with {}", if *.0 == '`' { "a backtick".to_owned() } else { format!("`{}`", .0) })]
    Begins(char),
    /// A block scalar within brackets.
    #[error("text that begins with `{0}` cannot stand within brackets")]
    BlockInFlow(char),
    /// A quote without an end.
    #[error("the quote `{0}` is never closed")]
    Quote(char),
    /// A bracket without an end.
    #[error("the `{0}` is never closed")]
    Bracket(char),
    /// Something other than a separator between entries in brackets.
    #[error("`,` or `{close}` is expected behind an entry, but here is {found}")]
    Separator {
        /// The closing bracket.
        close: char,
        /// What is there instead.
        found: &'static str,
    },
    /// An entry between two levels of indentation.
    #[error("this line is indented by {column}, but the entries of the {what} around it by {expected}")]
    Indentation {
        /// Its indentation.
        column: u32,
        /// The indentation of the others.
        expected: u32,
        /// `list` or `map`.
        what: &'static str,
    },
    /// A line that is indented less than the first one.
    #[error("this line is indented less than the first one, and so belongs to nothing")]
    Outside,
    /// Something directly after the closing quote of a text.
    #[error("the quote before this has ended the text")]
    BehindQuote,
    /// Something that the grammar does not allow there.
    #[error("{expected} is expected, but here is {found}")]
    Unexpected {
        /// What is there.
        found: &'static str,
        /// What is expected.
        expected: &'static str,
    },
    /// An unknown escape.
    #[error("there is no escape `\\{0}`")]
    Escape(char),
    /// An escape with a number that is not a character.
    #[error("the escape `{0}` is no character")]
    NoCharacter(String),
    /// A numeric escape without a number.
    #[error("`\\{letter}` needs {digits} hexadecimal digits behind it")]
    Code {
        /// `x`, `u` or `U`.
        letter: char,
        /// The required number of digits.
        digits: usize,
    },
    /// Something after `|` or `>`.
    #[error("behind `{0}` the line goes on")]
    BlockHeader(char),
    /// A `|0`.
    #[error("text cannot be indented by 0")]
    ZeroIndentation,
    /// An invalid name of an anchor or alias.
    #[error("behind `{0}` stands no name of letters, digits, `-` and `_`")]
    AnchorName(char),
    /// An invalid tag.
    #[error("this tag cannot be read: {0}")]
    Tag(&'static str),
    /// A tag with an undefined prefix.
    #[error("the tag begins with `{0}`, which no `%TAG` explains")]
    TagHandle(String),
    /// A line that begins with `%`.
    #[error("`%{0}` is no directive that Heat knows")]
    Directive(String),
    /// A malformed directive.
    #[error("this directive cannot be read: {0}")]
    DirectiveForm(&'static str),
    /// An unsupported version.
    #[error("YAML {major}.{minor} is not what Heat reads")]
    Version {
        /// The part before the dot.
        major: u32,
        /// The part after the dot.
        minor: u32,
    },
}

impl Syntax {
    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Tab => "indent with spaces",
            Self::NoColon { word } => return Some(no_colon(word)),
            Self::SecondColon => "quote the value if the colon belongs to it, or begin a new line for a map",
            Self::ColonInText { tight: true, .. } => "put a space behind the colon in the line where that text begins",
            Self::ColonInText { .. } => {
                "indent the line as the entries that it belongs to, or quote the text if the colon belongs to it"
            }
            Self::LongKey => "write `? ` before it, and the value in a line of its own behind `: `",
            Self::TightColon => "put a space behind the colon, or quote the text if the colon belongs to it",
            Self::Colon => "quote the text if the colon belongs to it",
            Self::Entry => "begin the list in a line of its own, or write it in brackets; quote a `-` that is text",
            Self::ComplexKey => "quote the text if the `?` belongs to it",
            Self::Begins(_) => "quote the text",
            Self::BlockInFlow(_) => "write the text in quotes, or the list or map without brackets",
            Self::Quote('\'') => "close it; a `'` within such quotes is written twice",
            Self::Quote(_) => "close it; a `\"` within such quotes is written `\\\"`",
            Self::Bracket(_) => "close it; quote a bracket that is text",
            Self::Separator { .. } => {
                "close the bracket, or separate the entries; quote text that has a comma, bracket or `: ` in it"
            }
            Self::Indentation { .. } => "give all entries of one list or map the same indentation",
            Self::Outside => "indent all that belongs to one list or map alike",
            Self::BehindQuote => "within single quotes write `'` twice, within double quotes `\\\"`",
            Self::Unexpected { found: "text" | "an alias" | "an anchor" | "a tag", .. } => {
                "quote the whole value, or remove what follows it"
            }
            Self::Unexpected { found: "`:`", .. } => {
                "write the key before the `:`, or quote the text that it belongs to"
            }
            Self::Unexpected { found: "`,`" | "`[`" | "`]`" | "`{`" | "`}`", .. } => {
                "remove it, or quote the text that it belongs to"
            }
            Self::Unexpected { found: "a key" | "an entry of a list (`- `)", .. } => {
                "what stands in one column is either all entries of a list or all keys of a map"
            }
            Self::Unexpected { .. } => return None,
            Self::Escape(_) => "write a backslash twice, or use single quotes, which have no escapes",
            Self::NoCharacter(_) => "write the character itself, or `\\U` and eight digits",
            Self::Code { .. } => "write a backslash twice if it is meant as text",
            Self::BlockHeader(_) => "begin the text in the next line, or quote it",
            Self::ZeroIndentation => "give the indentation that the text has behind its key, or none",
            Self::AnchorName('*') => "quote the text if the `*` belongs to it",
            Self::AnchorName(_) => "quote the text if the `&` belongs to it",
            Self::Tag(_) | Self::TagHandle(_) => "quote the text if the `!` belongs to it",
            Self::Directive(_) | Self::DirectiveForm(_) => {
                "quote the text if the `%` belongs to it, else remove the line"
            }
            Self::Version { .. } => "write `%YAML 1.1`, or remove the line",
        };
        Some(help.to_owned())
    }
}

fn no_colon(word: &str) -> String {
    match tight_pair(word) {
        Some((key, value)) => format!("put a space behind the colon: `{key}: {value}`"),
        None => {
            "put a `:` behind the key; if the line belongs to the text before it, indent it deeper than that text's key"
                .to_owned()
        }
    }
}

/// A key and a value with only a colon between them, unless it is a URL.
pub(super) fn tight_pair(word: &str) -> Option<(&str, &str)> {
    word.split_once(':').filter(|(key, value)| {
        !key.is_empty() && !key.contains(char::is_whitespace) && !value.is_empty() && !value.starts_with("//")
    })
}
