//! The forms in which programs print a text: the only place for the encodings that masks know.
//!
//! A [`Form`] finds its text at a position in another one. It is not a list of spellings. It reads each character in
//! any of its spellings: as it is, escaped with backslashes (JSON, also JSON within JSON, a shell's `printf %q` and
//! `$'...'`), quoted for a shell, SQL or CSV, in a URL (any character, either case, `+` for a space, also a URL within
//! a URL), or as an HTML entity. Base64 and hex are forms of the whole, wherever lines are broken, quoted or joined,
//! and base64 at any offset in the encoded text.

use std::collections::HashMap;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The minimum number of characters of base64 or hex to search for: shorter ones are too likely to be something else.
const ENCODED: usize = 8;
/// The maximum number of bytes of white space between two characters of base64 or hex.
const GAP: usize = 64;
/// Characters of base64 that must match before a line may end: otherwise the end of every other line might be the
/// beginning of one.
const SURE: usize = 4;
/// The maximum length of a line that may end before that: in lines as short as that, no more can be known.
const NARROW: usize = 3;
/// The maximum number of characters of an HTML entity.
const ENTITY: usize = 33;
/// How many times a `%` may be encoded itself.
const PERCENT: usize = 2;
/// The maximum number of backslashes before a character: JSON in JSON in JSON.
const BACKSLASHES: usize = 7;

/// One text, in a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Each character in any spelling.
    Text(Vec<char>),
    /// Characters of base64, in one of its alphabets.
    Base64(Vec<u8>),
    /// Bytes in hexadecimal, with these digits: in either case, next to each other or apart.
    Hex(Vec<u8>),
}

/// Where a match that begins at some position may end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// The last position at which it may end.
    pub(super) last: Option<usize>,
    /// Whether the text that follows may extend or complete the match.
    pub(super) may_go_on: bool,
}

impl Form {
    /// All forms of `secret`.
    pub(super) fn of(secret: &str) -> Vec<Self> {
        let mut forms = vec![Self::Text(secret.chars().collect())];
        // As in `printf SECRET | base64` and `echo SECRET | base64`, up to its last character.
        for text in [secret.to_owned(), format!("{secret}\n")] {
            forms.extend(Self::base64(&text, 0, true));
        }
        for offset in 0..3 {
            forms.extend(Self::base64(secret, offset, false));
        }
        if secret.len() * 2 >= ENCODED {
            forms.push(Self::Hex(secret.bytes().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()));
        }
        forms
    }

    /// Its characters in base64 at an `offset` of bytes from the beginning, without the characters that depend on
    /// others; `to_its_end` if nothing follows.
    fn base64(secret: &str, offset: usize, to_its_end: bool) -> Vec<Self> {
        let bytes = [&[0; 3][..offset], secret.as_bytes()].concat();
        let first = (offset * 8).div_ceil(6);
        let mut forms = Vec::new();
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&bytes).into_bytes();
            let end = if to_its_end { encoded.len() } else { bytes.len() * 8 / 6 };
            let known = &encoded[first..end.max(first)];
            if known.len() < ENCODED {
                continue;
            }
            // A line may have ended before the match was certain: then the next line continues it.
            forms.extend((0..SURE).map(|skipped| Self::Base64(known[skipped..].to_vec())));
        }
        forms
    }

    /// Whether there is nothing to find.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// The bytes with which it may begin.
    pub(super) fn begins_with(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => {
                let Some(first) = text.first() else { return Vec::new() };
                let mut buffer = [0; 4];
                let mut begins = vec![first.encode_utf8(&mut buffer).as_bytes()[0], b'%', b'&', b'\\', b'\''];
                begins.extend((*first == ' ').then_some(b'+'));
                begins
            }
            Self::Base64(text) => vec![text[0]],
            Self::Hex(digits) => vec![digits[0], digits[0].to_ascii_uppercase()],
        }
    }

    /// Where this form ends if it begins at `at` in `text`. Before `text`, its first line has `column` characters.
    pub(super) fn ends(&self, text: &[u8], at: usize, column: usize) -> Ends {
        match self {
            Self::Text(secret) => as_text(secret, text, at),
            Self::Base64(secret) => {
                let gap = |i, rest: &[u8]| {
                    // Checked first, and the narrowness of the line last: nearly all output is neither.
                    if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
                        return Some(0);
                    }
                    if i >= SURE {
                        return gap(rest, true, &JOINED);
                    }
                    let length = gap(rest, true, &[]);
                    let is_gap = length != Some(0) && is_narrow(&text[..text.len() - rest.len()], column);
                    if is_gap { length } else { Some(0) }
                };
                apart(secret, text, at, gap, |byte, wanted| byte == wanted)
            }
            Self::Hex(digits) => {
                let apart_by = [&b"\\x"[..], b"0x", b":", b"-", b","];
                let gap = |i, rest: &[u8]| if i % 2 == 1 { Some(0) } else { gap(rest, i > 2 * SURE, &apart_by) };
                apart(digits, text, at, gap, |byte, wanted| byte.to_ascii_lowercase() == wanted)
            }
        }
    }
}

/// Separators of base64 lines in source text: quotes, commas, backslashes, and operators that join them.
const JOINED: [&[u8]; 9] = [b" + ", b" +\n", b" +\r", b" +\\n", b"\"+\"", b"\"", b"'", b",", b"\\"];

/// Whether the last line of `text` has few characters. Before the first one there are `column` others.
fn is_narrow(text: &[u8], column: usize) -> bool {
    let line = text.iter().rev().take(GAP).take_while(|byte| **byte != b'\n');
    let (length, characters) = line.fold((0, 0), |(length, characters), byte| {
        (length + 1, characters + usize::from(!matches!(byte, b' ' | b'\t' | b'\r')))
    });
    let is_whole = length < text.len().min(GAP);
    let before = if is_whole { 0 } else { column };
    length < GAP && before + characters <= NARROW
}

/// How many bytes at the beginning of `rest` do not belong to the form; `None` if more input is needed.
fn gap(rest: &[u8], lines_may_end: bool, apart_by: &[&[u8]]) -> Option<usize> {
    let ends: [&[u8]; 4] = [b"\n", b"\r", b"\\n", b"\\r"];
    let mut at = 0;
    'next: while at < GAP {
        let rest = &rest[at..];
        if rest.is_empty() {
            break;
        }
        let marks = ends.into_iter().filter(|_| lines_may_end).chain(apart_by.iter().copied());
        for mark in marks.chain([&b" "[..], b"\t"]) {
            if rest.starts_with(mark) {
                at += mark.len();
                continue 'next;
            }
            if mark.starts_with(rest) {
                return None;
            }
        }
        break;
    }
    Some(at)
}

/// Matches `wanted`, with the gaps between its bytes that `gap` allows at each position.
fn apart(
    wanted: &[u8],
    text: &[u8],
    mut at: usize,
    gap: impl Fn(usize, &[u8]) -> Option<usize>,
    is: impl Fn(u8, u8) -> bool,
) -> Ends {
    let may_go_on = Ends { last: None, may_go_on: true };
    for (i, byte) in wanted.iter().enumerate() {
        if i > 0 && text.get(at).is_some_and(|next| !is(*next, *byte)) {
            match gap(i, &text[at..]) {
                Some(length) => at += length,
                None => return may_go_on,
            }
        }
        match text.get(at) {
            None => return may_go_on,
            Some(next) if is(*next, *byte) => at += 1,
            Some(_) => return Ends::default(),
        }
    }
    Ends { last: Some(at), may_go_on: false }
}

fn as_text(secret: &[char], text: &[u8], at: usize) -> Ends {
    let mut places = vec![at];
    let mut may_go_on = false;
    for (i, c) in secret.iter().enumerate() {
        let mut next = Vec::with_capacity(places.len());
        for place in &places {
            // On a terminal, a carriage return does not separate two characters.
            let returns = text[*place..].iter().take(GAP).take_while(|byte| i > 0 && **byte == b'\r').count();
            for skipped in 0..=returns {
                let place = place + skipped;
                spellings(*c, &text[place..], &mut may_go_on, &mut |length| {
                    if !next.contains(&(place + length)) {
                        next.push(place + length);
                    }
                });
            }
        }
        places = next;
        if places.is_empty() {
            break;
        }
    }
    Ends { last: places.into_iter().max(), may_go_on }
}

/// Passes to `found` the lengths of all spellings of `c` with which `text` begins; sets `more` if it is too short to
/// decide.
fn spellings(c: char, text: &[u8], more: &mut bool, found: &mut impl FnMut(usize)) {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).as_bytes();
    let literal = |spelling: &[u8], text: &[u8], more: &mut bool| {
        if text.starts_with(spelling) {
            Some(spelling.len())
        } else {
            *more |= spelling.starts_with(text);
            None
        }
    };
    if let Some(length) = literal(bytes, text, more) {
        found(length);
    }
    match text.first() {
        Some(b'+') if c == ' ' => found(1),
        Some(b'%') => {
            for times in 0..=PERCENT {
                let percent = format!("%{}", "25".repeat(times));
                let spelled: String = bytes.iter().map(|byte| format!("{percent}{byte:02x}")).collect();
                let part = &text[..text.len().min(spelled.len())];
                if let Some(length) = literal(spelled.as_bytes(), &part.to_ascii_lowercase(), more) {
                    found(length);
                }
            }
        }
        Some(b'&') => {
            let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
            let end = 1 + text[1..].iter().take(ENTITY).take_while(is_of_name).count();
            match text.get(end) {
                Some(b';') if std::str::from_utf8(&text[1..end]).is_ok_and(|name| is_entity(name, c)) => found(end + 1),
                None if text.len() < ENTITY => *more = true,
                _ => {}
            }
        }
        Some(b'\'') => {
            if c == '\'' {
                for spelling in [&br"'\''"[..], br#"'"'"'"#, b"''"] {
                    if let Some(length) = literal(spelling, text, more) {
                        found(length);
                    }
                }
            } else if c.is_control() {
                // `'a'$'\n''b'`, as quoted by coreutils.
                match text.strip_prefix(b"'$'") {
                    Some(rest) => {
                        let mut ends = Vec::new();
                        escaped(c, rest, more, &mut |length| ends.push(length));
                        for length in ends {
                            if let Some(closed) = literal(b"''", &rest[length..], more) {
                                found(3 + length + closed);
                            }
                        }
                    }
                    None => *more |= b"'$'".starts_with(text),
                }
            }
        }
        Some(b'"') if c == '"' => {
            if let Some(length) = literal(b"\"\"", text, more) {
                found(length);
            }
        }
        Some(b'\\') => escaped(c, text, more, found),
        None => *more = true,
        _ => {}
    }
}

/// Like [`spellings`], for those that begin with backslashes.
fn escaped(c: char, text: &[u8], more: &mut bool, found: &mut impl FnMut(usize)) {
    let run = text.iter().take(BACKSLASHES + 1).take_while(|byte| **byte == b'\\').count();
    if c == '\\' {
        [2, 4, 8].into_iter().filter(|length| *length <= run).for_each(&mut *found);
        *more |= run == text.len();
    }
    for slashes in 1..=run.min(BACKSLASHES) {
        let rest = &text[slashes..];
        for spelling in codes(c) {
            let part = &rest[..rest.len().min(spelling.len())];
            let is_same = if spelling.len() > 2 { part.eq_ignore_ascii_case(&spelling) } else { part == spelling };
            if is_same {
                found(slashes + spelling.len());
            } else if rest.len() < spelling.len() {
                let begun = &spelling[..rest.len()];
                *more |= if spelling.len() > 2 { begun.eq_ignore_ascii_case(rest) } else { begun == rest };
            }
        }
    }
}

/// The codes for `c` after a backslash.
fn codes(c: char) -> Vec<Vec<u8>> {
    let letter = match c {
        '\n' => "n",
        '\r' => "r",
        '\t' => "t",
        '\u{8}' => "b",
        '\u{c}' => "f",
        '\u{b}' => "v",
        '\u{7}' => "a",
        '\u{1b}' => "e",
        _ => "",
    };
    let mut codes = Vec::new();
    if !letter.is_empty() {
        codes.push(letter.as_bytes().to_vec());
    }
    if c != '\\' && !c.is_ascii_alphanumeric() {
        codes.push(c.to_string().into_bytes());
    }
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units).iter().map(|unit| format!("u{unit:04x}")).collect::<Vec<_>>();
    codes.push(units.join("\\").into_bytes());
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).bytes();
    codes.push(bytes.clone().map(|byte| format!("{byte:03o}")).collect::<Vec<_>>().join("\\").into_bytes());
    // YAML and Python write a character of Latin-1 by its number.
    codes.extend(('\u{80}'..='\u{ff}').contains(&c).then(|| format!("x{:02x}", u32::from(c)).into_bytes()));
    codes.push(bytes.map(|byte| format!("x{byte:02x}")).collect::<Vec<_>>().join("\\").into_bytes());
    codes
}

/// Whether `&NAME;` stands for `c`.
fn is_entity(name: &str, c: char) -> bool {
    let number = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        },
        None => return ENTITIES.get(name) == Some(&c),
    };
    number == Some(u32::from(c))
}

/// HTML's names for single characters.
static ENTITIES: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let named = entities::ENTITIES.iter().filter_map(|entity| {
        let name = entity.entity.strip_prefix('&')?.strip_suffix(';')?;
        let mut chars = entity.characters.chars();
        Some((name, chars.next().filter(|_| chars.next().is_none())?))
    });
    named.collect()
});
