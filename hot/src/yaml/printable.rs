//! Which characters can stand in YAML.

use super::{Error, Place, Problem, Span};

/// Refuses the first character that libyaml refuses, which does not tell its place.
pub(super) fn check(text: &str) -> Result<(), Error> {
    let Some((index, character)) = text.char_indices().find(|(index, character)| !is_printable(*index, *character))
    else {
        return Ok(());
    };
    let start = place(&text[..index]);
    let end = Place { column: start.column + 1, ..start };
    Err(Error { problem: Problem::Unprintable(character), span: Span { start, end }, context: None })
}

fn is_printable(index: usize, character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FEFE}' | '\u{FF00}'..='\u{FFFD}' => true,
        '\u{10000}'.. => true,
        // A byte order mark.
        '\u{FEFF}' => index == 0,
        _ => false,
    }
}

/// The place behind a text.
#[expect(clippy::cast_possible_truncation, reason = "a text has at most `BYTES` lines and columns")]
fn place(before: &str) -> Place {
    const BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let line = before.replace("\r\n", "\n").matches(BREAKS).count() as u32;
    let column = before.rsplit(BREAKS).next().unwrap_or_default().chars().count() as u32;
    Place { line, column }
}
