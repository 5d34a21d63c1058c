//! Violations of YAML's grammar, in words for the author of the text.

use thiserror::Error;

/// A violation of the grammar.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Syntax {
    /// A tab where indentation matters.
    #[error("the indentation contains a tab")]
    Tab,
    /// A line among the entries of a map that is not an entry.
    #[error("found `{word}` where an entry `key: value` is expected")]
    NoColon {
        /// The line, or its beginning.
        word: String,
    },
    /// A `: ` in a value.
    #[error("a second `: ` on one line")]
    SecondColon,
    /// A `: ` in text that spans lines.
    #[error("this `:` is within the text that begins on line {line} and does not start an entry")]
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
    #[error("a `:` is directly before a bracket, a comma or a `?`")]
    TightColon,
    /// A `: ` elsewhere.
    #[error("a `:` is not allowed here")]
    Colon,
    /// A list where none can begin.
    #[error("a list cannot begin here, after something else on the line")]
    Entry,
    /// A `? ` where none is allowed.
    #[error("a key that begins with `? ` is not allowed here")]
    ComplexKey,
    /// A character that cannot begin anything.
    #[error("text cannot begin with {}", if *.0 == '`' { "a backtick".to_owned() } else { format!("`{}`", .0) })]
    Begins(char),
    /// A block scalar within brackets.
    #[error("text that begins with `{0}` is not allowed within brackets")]
    BlockInFlow(char),
    /// A quote without an end.
    #[error("the quote `{0}` is never closed")]
    Quote(char),
    /// A bracket without an end.
    #[error("the `{0}` is never closed")]
    Bracket(char),
    /// Something other than a separator between entries in brackets.
    #[error("expected `,` or `{close}` after an entry, found {found}")]
    Separator {
        /// The closing bracket.
        close: char,
        /// What is there instead.
        found: &'static str,
    },
    /// An entry between two levels of indentation.
    #[error("this line is indented by {column}, but the entries of the {what} around it are indented by {expected}")]
    Indentation {
        /// Its indentation.
        column: u32,
        /// The indentation of the others.
        expected: u32,
        /// `list` or `map`.
        what: &'static str,
    },
    /// A line that is indented less than the first one.
    #[error("this line is indented less than the first one and belongs to nothing")]
    Outside,
    /// Something directly after the closing quote of a text.
    #[error("the quote before this ends the text")]
    BehindQuote,
    /// Something that the grammar does not allow there.
    #[error("expected {expected}, found {found}")]
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
    #[error("the escape `{0}` is not a character")]
    NoCharacter(String),
    /// A numeric escape without a number.
    #[error("`\\{letter}` needs {digits} hexadecimal digits after it")]
    Code {
        /// `x`, `u` or `U`.
        letter: char,
        /// The required number of digits.
        digits: usize,
    },
    /// Something after `|` or `>`.
    #[error("the line continues after `{0}`")]
    BlockHeader(char),
    /// A `|0`.
    #[error("text cannot be indented by 0")]
    ZeroIndentation,
    /// An invalid name of an anchor or alias.
    #[error("`{0}` is not followed by a name of letters, digits, `-` and `_`")]
    AnchorName(char),
    /// An invalid tag.
    #[error("this tag cannot be read: {0}")]
    Tag(&'static str),
    /// A tag with an undefined prefix.
    #[error("the tag begins with `{0}`, which no `%TAG` defines")]
    TagHandle(String),
    /// A line that begins with `%`.
    #[error("Heat does not know the directive `%{0}`")]
    Directive(String),
    /// A malformed directive.
    #[error("this directive cannot be read: {0}")]
    DirectiveForm(&'static str),
    /// An unsupported version.
    #[error("Heat does not read YAML {major}.{minor}")]
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
            Self::ColonInText { tight: true, .. } => "put a space after the colon on the line where that text begins",
            Self::ColonInText { .. } => {
                "indent the line like the entries that it belongs to, or quote the text if the colon belongs to it"
            }
            Self::LongKey => "write `? ` before it, and the value on its own line after `: `",
            Self::TightColon => "put a space after the colon, or quote the text if the colon belongs to it",
            Self::Colon => "quote the text if the colon belongs to it",
            Self::Entry => "begin the list on its own line, or write it in brackets; quote a `-` that is text",
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
            Self::Outside => "indent everything that belongs to one list or map equally",
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
                "make the lines in one column either all entries of a list or all keys of a map"
            }
            Self::Unexpected { .. } => return None,
            Self::Escape(_) => "write a backslash twice, or use single quotes, which have no escapes",
            Self::NoCharacter(_) => "write the character itself, or `\\U` and eight digits",
            Self::Code { .. } => "write a backslash twice if it is meant as text",
            Self::BlockHeader(_) => "begin the text on the next line, or quote it",
            Self::ZeroIndentation => "write how far the text is indented from its key, or nothing",
            Self::AnchorName('*') => "quote the text if the `*` belongs to it",
            Self::AnchorName(_) => "quote the text if the `&` belongs to it",
            Self::Tag(_) | Self::TagHandle(_) => "quote the text if the `!` belongs to it",
            Self::Directive(_) | Self::DirectiveForm(_) => {
                "quote the text if the `%` belongs to it, otherwise remove the line"
            }
            Self::Version { .. } => "write `%YAML 1.1`, or remove the line",
        };
        Some(help.to_owned())
    }
}

fn no_colon(word: &str) -> String {
    match tight_pair(word) {
        Some((key, value)) => format!("put a space after the colon: `{key}: {value}`"),
        None => {
            "put a `:` after the key; if the line belongs to the text before it, indent it more than that text's key"
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
