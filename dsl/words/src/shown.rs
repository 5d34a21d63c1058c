//! Text from outside, made safe to show: nothing in it moves the cursor, hides, or reverses the text beside it.

use std::fmt;

/// Whether a terminal interprets the character or does not show it: C0 and C1 controls, and Unicode characters that have no
/// width or change the direction of text.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` on one line, with invisible characters as escapes.
///
/// ```
/// assert_eq!(wattle_words::shown::one_line("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\\nb\\u{202e}");
/// ```
pub fn one_line(text: &str) -> String {
    escaped(text, is_unseen)
}

/// The most characters of a word in a message.
const WORD: usize = 200;

/// The most characters of a message.
const MESSAGE: usize = 4_000;

/// Limits a message to a few thousand characters, however long its quotes are. A longer word keeps its beginning and its
/// end, with a note of how much is missing between them.
///
/// ```
/// use wattle_words::shown::bounded;
///
/// assert_eq!(bounded("found `80`".to_owned()), "found `80`");
/// let long = bounded(format!("found `{}`", "7".repeat(5_000)));
/// assert_eq!(long, format!("found `{}(... 4802 characters ...){}`", "7".repeat(119), "7".repeat(79)));
/// assert!(bounded("a b ".repeat(5_000)).len() < 4_100);
/// ```
pub fn bounded(text: String) -> String {
    if text.len() <= WORD {
        return text;
    }
    let words: Vec<_> = text.split(' ').map(|word| shortened(word, WORD)).collect();
    match shortened(&words.join(" "), MESSAGE) {
        std::borrow::Cow::Borrowed(text) => text.to_owned(),
        std::borrow::Cow::Owned(text) => text,
    }
}

/// `text` with its middle left out, if it is longer than `most` characters.
fn shortened(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    // No text has more characters than bytes.
    let length = if text.len() <= most { 0 } else { text.chars().count() };
    if length <= most {
        return text.into();
    }
    let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let (first, last) = (most * 3 / 5, most * 2 / 5);
    format!("{}(... {} characters ...){}", &text[..at(first)], length - first - last, &text[at(length - last)..]).into()
}

/// `text` as it may be printed on a terminal, with its lines and tabs. With `colors`, escape sequences for colours and bold
/// text stay as well, but no others.
///
/// ```
/// use wattle_words::shown::on_terminal;
///
/// assert_eq!(on_terminal("a\tb\n\u{1b}[31mc\u{1b}[2J", true), "a\tb\n\u{1b}[31mc\\u{1b}[2J");
/// assert_eq!(on_terminal("\u{1b}[31mc\u{9b}2J\u{1b}[8mhidden\r", false), "\\u{1b}[31mc\\u{9b}2J\\u{1b}[8mhidden\\r");
/// ```
pub fn on_terminal(text: &str, colors: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| is_unseen(c) && !matches!(c, '\n' | '\t')) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some(end) = colors.then(|| color(from)).flatten() {
            out.push_str(&from[..end]);
            rest = &from[end..];
        } else {
            let mut chars = from.chars();
            out.extend(chars.next().into_iter().flat_map(char::escape_default));
            rest = chars.as_str();
        }
    }
    out + rest
}

/// `word` as one shell argument of a suggested command: unchanged if it is plain, otherwise quoted, and with invisible
/// characters as escapes in `$'...'`.
///
/// ```
/// use wattle_words::shown::argument;
///
/// assert_eq!(argument("out/shop"), "out/shop");
/// assert_eq!(argument("my 'shop'; id"), r"'my '\''shop'\''; id'");
/// assert_eq!(argument("a\u{1b}"), r"$'a\033'");
/// assert_eq!(argument(""), "''");
/// ```
pub fn argument(word: impl fmt::Display) -> String {
    let word = word.to_string();
    if word.contains(is_unseen) {
        let mut out = "$'".to_owned();
        for c in word.chars() {
            let mut bytes = [0; 4];
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                c if is_unseen(c) => {
                    out.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\{byte:03o}")));
                }
                c => out.push(c),
            }
        }
        return out + "'";
    }
    let is_plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Like [`argument`], for a path. The result is never mistaken for an option, whatever the path begins with.
///
/// ```
/// use wattle_words::shown::path;
///
/// assert_eq!(path("out/shop"), "out/shop");
/// assert_eq!(path("-a b"), "'./-a b'");
/// ```
pub fn path(path: impl fmt::Display) -> String {
    let path = path.to_string();
    argument(if path.starts_with('-') { format!("./{path}") } else { path })
}

/// Like [`argument`], for an option and its value. The result is never mistaken for another option, whatever the value
/// begins with.
///
/// ```
/// use wattle_words::shown::option;
///
/// assert_eq!(option("--stack", "shop"), "--stack shop");
/// assert_eq!(option("--stack", "-y"), "--stack=-y");
/// ```
pub fn option(option: &str, value: impl fmt::Display) -> String {
    let value = value.to_string();
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("{option}{between}{}", argument(value))
}

/// The length of the escape sequence with which `text` begins, if it sets or resets a colour, bold, faint, italic or
/// underline.
fn color(text: &str) -> Option<usize> {
    let end = text.strip_prefix("\u{1b}[")?.find('m')? + 2;
    let is_fine = |code: &str| {
        matches!(code, "" | "0" | "1" | "2" | "3" | "4" | "22" | "23" | "24" | "39") || is_foreground(code)
    };
    text[2..end].split(';').all(is_fine).then_some(end + 1)
}

/// ECMA-48's colours of text, and the bright ones.
fn is_foreground(code: &str) -> bool {
    matches!(code.as_bytes(), [b'3' | b'9', b'0'..=b'7'])
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}
