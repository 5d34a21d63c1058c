//! How Python formats values, slices texts and counts in them.

use super::item::{Item, Map};
use super::machine::{Stop, unknown};
use crate::template::float_as_python;
use crate::value::quoted;

/// Formats a value like YAQL's `str`.
pub(super) fn text(item: &Item) -> Result<String, Stop> {
    Ok(match item {
        Item::Null => "null".to_owned(),
        Item::Boolean(value) => value.to_string(),
        Item::Text(text) => text.to_string(),
        item => repr(item)?,
    })
}

/// Formats a value like Python's `repr`.
fn repr(item: &Item) -> Result<String, Stop> {
    let all = |items: &[Item]| Ok::<_, Stop>(items.iter().map(repr).collect::<Result<Vec<_>, _>>()?.join(", "));
    Ok(match item {
        Item::Null => "None".to_owned(),
        Item::Boolean(true) => "True".to_owned(),
        Item::Boolean(false) => "False".to_owned(),
        Item::Integer(value) => value.to_string(),
        Item::Float(value) if value.is_finite() => float_as_python(*value),
        Item::Text(text) => quoted(text),
        Item::Tuple(row) if row.items.len() == 1 => format!("({},)", all(&row.items)?),
        Item::Tuple(row) => format!("({})", all(&row.items)?),
        Item::List(row) => format!("[{}]", all(&row.items)?),
        Item::Map(map) => {
            let pair = |(key, value): &(Item, Item)| Ok(format!("{}: {}", repr(key)?, repr(value)?));
            let pairs = map.entries.iter().map(pair).collect::<Result<Vec<_>, Stop>>()?;
            format!("{{{}}}", pairs.join(", "))
        }
        _ => return unknown(),
    })
}

/// Python's white space.
pub(super) fn is_blank(sign: char) -> bool {
    sign.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&sign)
}

/// The part of a list between two indices. Negative ones count from the end.
pub(super) fn bounds(start: i128, end: i128, length: usize) -> (usize, usize) {
    let at = |index: i128| {
        let index = if index < 0 { index.saturating_add(length as i128).max(0) } else { index };
        usize::try_from(index).unwrap_or(usize::MAX).min(length)
    };
    let (start, end) = (at(start), at(end));
    (start, end.max(start))
}

/// The same part of a text, in characters.
pub(super) fn slice(text: &str, start: i128, end: i128) -> String {
    let (start, end) = bounds(start, end, text.chars().count());
    text.chars().skip(start).take(end - start).collect()
}

/// The first or last position of a text in a part of another one. -1 if there is none.
pub(super) fn find(text: &str, part: &str, start: i128, end: i128, last: bool) -> i128 {
    let length = text.chars().count();
    if start > length as i128 {
        return -1;
    }
    let (from, to) = bounds(start, end, length);
    let inside: String = text.chars().skip(from).take(to - from).collect();
    let found = if last { inside.rfind(part) } else { inside.find(part) };
    found.map_or(-1, |at| (from + inside[..at].chars().count()) as i128)
}

/// A map of texts as pairs of texts.
pub(super) fn pairs(map: &Map) -> Result<Vec<(String, String)>, Stop> {
    map.entries.iter().map(|(key, value)| Ok((text(key)?, text(value)?))).collect()
}
