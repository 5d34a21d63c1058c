//! The form of a text: plain, quoted or a literal block.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde::{Serialize, ser::Error as _};

use super::EmitError;
use crate::truth;

/// The form of text and numbers in one kind of file.
pub trait Style {
    /// Whether it is JSON.
    const IS_JSON: bool = false;

    /// The form of a text that may not be safe without quotes. For a value, all lines but the first are indented by two
    /// more spaces than its key. For a key, a long one follows a question mark.
    ///
    /// # Errors
    /// The text has no form.
    fn text(text: &str, is_key: bool) -> Result<String, EmitError>;

    /// The form of a float.
    ///
    /// # Errors
    /// The number has no form.
    fn float(value: impl Serialize + Into<f64> + Copy) -> Result<String, EmitError>;
}

/// YAML that versions 1.1 and 1.2 read as the same text or number.
pub(super) struct Yaml;

impl Style for Yaml {
    fn text(text: &str, is_key: bool) -> Result<String, EmitError> {
        /// The longest key, in characters as written, that readers find without a question mark.
        const LONGEST: usize = 1024;
        let form = match text {
            "." | "#" | "-" if !is_key => format!("'{text}'"),
            _ if !is_key && text.contains('\n') && fits_literal_block(text) => literal(text),
            _ if is_plain(text, is_key) => text.to_owned(),
            _ => quoted(text),
        };
        Ok(if is_key && form.chars().count() > LONGEST { format!("? {form}") } else { form })
    }

    fn float(value: impl Serialize + Into<f64> + Copy) -> Result<String, EmitError> {
        let text = Json::float(value)?;
        // YAML 1.1 requires a decimal point in addition to the sign in the exponent.
        Ok(if text.contains('.') { text } else { text.replacen('e', ".0e", 1) })
    }
}

/// JSON that every reader accepts.
pub(super) struct Json;

impl Style for Json {
    const IS_JSON: bool = true;

    fn text(text: &str, _is_key: bool) -> Result<String, EmitError> {
        serde_json::to_string(text).map_err(EmitError::custom)
    }

    fn float(value: impl Serialize + Into<f64> + Copy) -> Result<String, EmitError> {
        if !value.into().is_finite() {
            return Err(EmitError::custom(
                "a template cannot contain an infinite number or a value that is not a number",
            ));
        }
        serde_json::to_string(&value).map_err(EmitError::custom)
    }
}

/// The class of a byte in [`is_surely_plain`]: part of a word, a space, a colon, or something else.
const KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' => 0,
            b' ' => BLANK,
            b':' => COLON,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
};
const BLANK: u8 = 1;
const COLON: u8 = 2;
const OTHER: u8 = 4;

/// Whether every YAML reader reads unquoted `text` as itself. This holds for text that begins with a letter and has few
/// other characters: no colon in keys, and no colon before a space in values. Other text may be plain as well.
pub(super) fn is_surely_plain(text: &str, is_key: bool) -> bool {
    let bytes = text.as_bytes();
    let kinds = bytes.iter().fold(0, |kinds, byte| kinds | KINDS[usize::from(*byte)]);
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && (kinds == 0
            || kinds & OTHER == 0
                && !text.ends_with([' ', ':'])
                && (kinds & COLON == 0 || !is_key && !text.contains(": ")))
        && !is_word(text)
}

/// Whether some reader reads text that begins with a letter as null, a boolean or a number.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 5] = ["y", "n", "nan", "inf", "null"];
    text.len() <= 5 && (truth::of_tagged(text).is_some() || WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)))
}

fn is_plain(text: &str, is_key: bool) -> bool {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let begins = match first {
        b'-' | b'?' => bytes.get(1).is_some_and(|second| !is_blank(second)),
        first => !b",:[]{}#&*!|>'\"%@`".contains(first),
    };
    let is_marker =
        |marker| text.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || is_blank(&rest.as_bytes()[0]));
    let (mut before, mut is_free) = ('x', true);
    for character in text.chars() {
        is_free &= !is_escaped(character) && (character != '#' || !before.is_whitespace());
        is_free &= !is_key || !matches!(character, ':' | ',' | '[' | ']' | '{' | '}');
        before = character;
    }
    is_free
        && begins
        && !is_blank(first)
        && !is_blank(last)
        && *last != b':'
        && !text.contains(": ")
        && !is_marker("---")
        && !is_marker("...")
        && !means_something_else(text)
}

/// Whether some reader reads the unquoted text as null, a boolean, a number or a date.
fn means_something_else(text: &str) -> bool {
    /// Numbers in YAML 1.1 and 1.2.
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"[-+]?(\d*\.[\d.]*|\d+)([eE][-+]?\d+)?|[-+]?0([bB][01_]+|[oO][0-7_]+|[xX][\da-fA-F_]+)|[-+]?\.(?i:inf|nan)",
        )
    });
    /// Numbers in base 60, and dates.
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        let base_60 = r"[-+]?([1-9][\d_]*(:[0-5]?\d)+|\d[\d_]*(:[0-5]?\d)+\.[\d_]*)";
        let time = r"([Tt]|[ \t]+)\d{1,2}:\d{1,2}:\d{1,2}([.,]\d*)?[ \t]*(Z|[-+]\d{1,2}(:\d{2})?)?";
        pattern(&format!(r"{base_60}|\d{{4}}-\d{{1,2}}-\d{{1,2}}({time})?"))
    });
    matches!(text, "~" | "<<" | "=")
        || is_word(text.strip_prefix(['-', '+']).filter(|rest| rest.eq_ignore_ascii_case("inf")).unwrap_or(text))
        || text.starts_with(|first: char| first.is_ascii_digit() || "+-._".contains(first))
            // Go's reader ignores underscores.
            && (NUMBER.is_match(text) || OTHER.is_match(text) || NUMBER.is_match(&text.replace('_', "")))
}

fn pattern(alternatives: &str) -> Regex {
    Regex::new(&format!("^(?:{alternatives})$")).expect("INVARIANT: a constant")
}

/// Whether a character is allowed only in double quotes.
fn is_escaped(character: char) -> bool {
    character.is_control() || matches!(character, '\u{FEFF}' | '\u{2028}' | '\u{2029}' | '\u{FFFE}' | '\u{FFFF}')
}

fn quoted(text: &str) -> String {
    const NAMED: [(char, char); 14] = [
        ('\\', '\\'),
        ('"', '"'),
        ('\0', '0'),
        ('\u{7}', 'a'),
        ('\u{8}', 'b'),
        ('\t', 't'),
        ('\n', 'n'),
        ('\u{b}', 'v'),
        ('\u{c}', 'f'),
        ('\r', 'r'),
        ('\u{1b}', 'e'),
        ('\u{85}', 'N'),
        ('\u{2028}', 'L'),
        ('\u{2029}', 'P'),
    ];
    let mut out = String::from('"');
    for character in text.chars() {
        let code = u32::from(character);
        if let Some((_, name)) = NAMED.iter().find(|(named, _)| *named == character) {
            out.extend(['\\', *name]);
        } else if !is_escaped(character) {
            out.push(character);
        } else {
            let written = if code <= 0xFF { write!(out, "\\x{code:02X}") } else { write!(out, "\\u{code:04X}") };
            written.expect("INVARIANT: text takes all that is written");
        }
    }
    out.push('"');
    out
}

/// Whether `PyYAML` reads a literal block of `text` back unchanged. It uses libyaml, which refuses a tab while it is still
/// determining the indentation, that is at the start of the first non-empty line. Characters that other readers may treat
/// as line breaks are not allowed in blocks.
fn fits_literal_block(text: &str) -> bool {
    let body = text.trim_start_matches('\n');
    let is_kept = |character: char| matches!(character, '\n' | '\t') || !is_escaped(character);
    !body.is_empty() && !body.starts_with('\t') && text.chars().all(is_kept)
}

/// A literal block with its lines indented by two spaces, except for empty ones.
fn literal(text: &str) -> String {
    let body = text.trim_end_matches('\n');
    let newlines = text.len() - body.len();
    let indented = if body.trim_start_matches('\n').starts_with(' ') { "2" } else { "" };
    let mut out = format!("|{indented}{}", ["-", "", "+"][newlines.min(2)]);
    for line in body.split('\n') {
        out.push_str(if line.is_empty() { "\n" } else { "\n  " });
        out.push_str(line);
    }
    out.extend(std::iter::repeat_n('\n', newlines.saturating_sub(1)));
    out
}
