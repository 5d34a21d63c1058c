//! Texts.

use super::super::item::Item;
use super::super::limits;
use super::super::machine::{Given, Machine, Stop, unknown, wrong};
use super::super::overload::{Default, overloads};
use super::super::python;
use super::super::stream::Stream;
use super::math::is;

overloads! { TABLE:
    Function "str" (value: Any) => |_, given| Ok(Item::text(python::text(given.item(0))?));
    Function "concat" (; Text) => |_, given| Ok(Item::text(joined(&given.rest)?));
    Function "isString" (arg: Any) => |_, given| is(&given, |item| matches!(item, Item::Text(_)));
    Both "len" (string: Text) => |_, given| Ok(super::counted(given.text(0)?.chars().count()));
    Method "toUpper" (string: Text) => |_, given| cased(&given.text(0)?, str::to_ascii_uppercase);
    Method "toLower" (string: Text) => |_, given| cased(&given.text(0)?, str::to_ascii_lowercase);
    Method "split" (string: Text, separator: TextOrNull = Default::Null, maxSplits: Integer = Default::Integer(-1)) =>
        |_, given| split(&given, false);
    Method "rightSplit" (string: Text, separator: TextOrNull = Default::Null, maxSplits: Integer = Default::Integer(-1))
        => |_, given| split(&given, true);
    Method "join" (sequence: Iterable, separator: Text) =>
        |machine, given| join(machine, &given.stream(machine, 0)?, &given.text(1)?);
    Method "join" (separator: Text, sequence: Iterable) =>
        |machine, given| join(machine, &given.stream(machine, 1)?, &given.text(0)?);
    Method "trim" (string: Text, chars: TextOrNull = Default::Null) => |_, given| trimmed(&given, 1, true, true).map(Item::text);
    Method "trimLeft" (string: Text, chars: TextOrNull = Default::Null) =>
        |_, given| trimmed(&given, 1, true, false).map(Item::text);
    Method "trimRight" (string: Text, chars: TextOrNull = Default::Null) =>
        |_, given| trimmed(&given, 1, false, true).map(Item::text);
    Both "norm" (string: TextOrNull, chars: TextOrNull = Default::Null) => |_, given| {
        if matches!(given.item(0), Item::Null) {
            return Ok(Item::Null);
        }
        let text = trimmed(&given, 1, true, true)?;
        Ok(if text.is_empty() { Item::Null } else { Item::text(text) })
    };
    Both "isEmpty" (string: TextOrNull, trim: Boolean = Default::Boolean(true), chars: TextOrNull = Default::Null) =>
        |_, given| {
            let Some(text) = given.text_or_none(0)? else { return Ok(Item::Boolean(true)) };
            let text = if given.flag(1)? { trimmed(&given, 2, true, true)? } else { text.to_string() };
            Ok(Item::Boolean(text.is_empty()))
        };
    Method "replace" (string: Text, old: Text, new: Text, count: Integer = Default::Integer(-1)) => |machine, given| {
        let text = given.text(0)?;
        replaced(machine, &text, &given.text(1)?, &given.text(2)?, given.integer(3)?).map(Item::text)
    };
    Method "replace" (string: Text, replacements: Map, count: Integer = Default::Integer(-1)) => |machine, given| {
        let mut text = given.text(0)?.to_string();
        for (old, new) in python::pairs(&*given.map(1)?)? {
            text = replaced(machine, &text, &old, &new, given.integer(2)?)?;
        }
        Ok(Item::text(text))
    };
    Method "substring" (string: Text, start: Integer, length: Integer = Default::Integer(-1)) => |_, given| {
        let text = given.text(0)?;
        let size = length_of(&text);
        let (start, length) = (given.integer(1)?, given.integer(2)?);
        let length = if length < 0 { size } else { length };
        let start = if start < 0 { start.saturating_add(size) } else { start };
        Ok(Item::text(python::slice(&text, start, start.saturating_add(length))))
    };
    Method "indexOf" (string: Text, sub: Text, start: Integer = Default::Integer(0)) => |_, given| found(&given, false);
    Method "indexOf" (string: Text, sub: Text, start: Integer, length: Integer) => |_, given| found_within(&given, false);
    Method "lastIndexOf" (string: Text, sub: Text, start: Integer = Default::Integer(0)) => |_, given| found(&given, true);
    Method "lastIndexOf" (string: Text, sub: Text, start: Integer, length: Integer) =>
        |_, given| found_within(&given, true);
    Method "toCharArray" (string: Text) => |_, given| {
        Item::tuple(given.text(0)?.chars().map(|sign| Item::text(sign.to_string())).collect())
    };
    Method "startsWith" (string: Text; Text) => |_, given| {
        let text = given.text(0)?;
        Ok(Item::Boolean(given.rest.iter().any(|part| matches!(part, Item::Text(part) if text.starts_with(&**part)))))
    };
    Method "endsWith" (string: Text; Text) => |_, given| {
        let text = given.text(0)?;
        Ok(Item::Boolean(given.rest.iter().any(|part| matches!(part, Item::Text(part) if text.ends_with(&**part)))))
    };
}

fn length_of(text: &str) -> i128 {
    text.chars().count() as i128
}

pub(super) fn joined(parts: &[Item]) -> Result<String, Stop> {
    let mut out = String::new();
    for part in parts {
        let Item::Text(part) = part else { return unknown() };
        out.push_str(part);
    }
    Ok(out)
}

/// Case conversion of other scripts is left to Python.
fn cased(text: &str, of: fn(&str) -> String) -> Result<Item, Stop> {
    if text.is_ascii() { Ok(Item::text(of(text))) } else { unknown() }
}

/// Joins texts, up to the limit.
fn join(machine: &Machine<'_>, parts: &Stream, separator: &str) -> Result<Item, Stop> {
    let mut out = String::new();
    let mut first = true;
    while let Some(part) = parts.next(machine)? {
        if !std::mem::take(&mut first) {
            out.push_str(separator);
        }
        let part = python::text(&part)?;
        limits::memory([&Item::text(part.as_str())])?;
        machine.step(part.len() / 64)?;
        out.push_str(&part);
    }
    Ok(Item::text(out))
}

fn trimmed(given: &Given, chars: usize, left: bool, right: bool) -> Result<String, Stop> {
    let (text, chars) = (given.text(0)?, given.text_or_none(chars)?);
    let is_cut = |sign: char| match &chars {
        Some(chars) => chars.contains(sign),
        None => python::is_blank(sign),
    };
    let text = if left { text.trim_start_matches(is_cut) } else { &text };
    Ok(if right { text.trim_end_matches(is_cut) } else { text }.to_owned())
}

pub(super) fn replaced(machine: &Machine<'_>, text: &str, old: &str, new: &str, count: i128) -> Result<String, Stop> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    machine.step((text.len() + new.len()) / 64)?;
    let times = text.matches(old).take(count).count();
    // Heat would not allow a text of this size.
    if times.saturating_mul(new.len()) > 1_000_000 {
        return unknown();
    }
    Ok(text.replacen(old, new, count))
}

fn found(given: &Given, last: bool) -> Result<Item, Stop> {
    let text = given.text(0)?;
    let end = length_of(&text);
    Ok(Item::Integer(python::find(&text, &given.text(1)?, given.integer(2)?, end, last)))
}

fn found_within(given: &Given, last: bool) -> Result<Item, Stop> {
    let text = given.text(0)?;
    let size = length_of(&text);
    let (start, length) = (given.integer(2)?, given.integer(3)?);
    let start = if start < 0 { start.saturating_add(size) } else { start };
    let length = if length < 0 { size.saturating_sub(start) } else { length };
    Ok(Item::Integer(python::find(&text, &given.text(1)?, start, start.saturating_add(length), last)))
}

fn split(given: &Given, from_right: bool) -> Result<Item, Stop> {
    let (text, separator) = (given.text(0)?, given.text_or_none(1)?);
    let most = usize::try_from(given.integer(2)?).unwrap_or(usize::MAX);
    let mut parts: Vec<&str> = match &separator {
        Some(separator) if separator.is_empty() => return wrong("a string cannot be split at an empty string"),
        Some(separator) if from_right => text.rsplitn(most.saturating_add(1), &**separator).collect(),
        Some(separator) => text.splitn(most.saturating_add(1), &**separator).collect(),
        None => at_blanks(&text, most, from_right),
    };
    if from_right {
        parts.reverse();
    }
    Item::list(parts.into_iter().map(Item::text).collect())
}

/// The words of a text. After `most` splits, the remainder is one word.
fn at_blanks(text: &str, most: usize, from_right: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        rest = if from_right {
            rest.trim_end_matches(python::is_blank)
        } else {
            rest.trim_start_matches(python::is_blank)
        };
        if rest.is_empty() {
            return parts;
        }
        let cut = if parts.len() >= most {
            None
        } else if from_right {
            rest.rfind(python::is_blank).map(|at| at + rest[at..].chars().next().map_or(0, char::len_utf8))
        } else {
            rest.find(python::is_blank)
        };
        let Some(cut) = cut else {
            parts.push(rest);
            return parts;
        };
        let (before, behind) = rest.split_at(cut);
        let (part, left) = if from_right { (behind, before) } else { (before, behind) };
        parts.push(part);
        rest = left;
    }
}
