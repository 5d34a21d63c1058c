//! Heat's limits of an expression: `limit_iterators` and `memory_quota` of its section `yaql`.

use super::item::{Item, Part};
use super::machine::{Machine, Stop, unknown, wrong};
use super::stream::{Stream, iterate};

/// Items of whatever is iterated: Heat's `limit_iterators`.
const ITEMS: usize = 200;

/// Bytes of a value in Python's memory: Heat's `memory_quota`.
const MEMORY: usize = 10_000;

/// By how much versions of Python differ.
const BLUR: usize = 100;

/// Refuses values that take too much of Python's memory together. Lists and texts count, but not what is in lists.
pub(super) fn memory<'i>(items: impl IntoIterator<Item = &'i Item>) -> Result<(), Stop> {
    enough(items.into_iter().map(bytes).fold((0, 0), |(least, most), size| (least + size.0, most + size.1)))
}

/// The same of something that takes at least and at most so much.
pub(super) fn enough((least, most): (usize, usize)) -> Result<(), Stop> {
    if least > MEMORY + BLUR {
        return wrong(format!(
            "a value takes {least} bytes, and Heat allows {MEMORY} (the setting `memory_quota` of its section `yaql`)"
        ));
    }
    if most + BLUR > MEMORY { unknown() } else { Ok(()) }
}

/// How much of Python's memory a value takes, at least and at most.
pub(super) fn bytes(item: &Item) -> (usize, usize) {
    match item {
        Item::Text(text) => {
            let widest = text.chars().max().map_or(0, u32::from);
            let (head, each) = match widest {
                0..0x80 => (49, 1),
                0x80..0x100 => (73, 1),
                0x100..0x1_0000 => (74, 2),
                _ => (76, 4),
            };
            let size = head + each * text.chars().count();
            (size, size)
        }
        Item::Tuple(row) => (40 + 8 * row.items.len(), 40 + 8 * row.items.len()),
        // Python keeps room for more.
        Item::List(row) => (56 + 8 * row.items.len(), 120 + 9 * row.items.len()),
        _ => (0, 0),
    }
}

fn too_many<T>() -> Result<T, Stop> {
    wrong(format!(
        "a list has more than {ITEMS} items, which is the most that Heat allows (the setting `limit_iterators` of its \
         section `yaql`)"
    ))
}

/// What is iterated: at once refused if it is known to be too long, later otherwise.
pub(super) fn limited(item: Item) -> Result<Item, Stop> {
    let length = match &item {
        Item::Tuple(row) | Item::List(row) => Some(row.items.len()),
        Item::View(map, Part::Keys | Part::Items) | Item::Set(map) | Item::Map(map) => Some(map.entries.len()),
        _ => None,
    };
    match length {
        Some(length) if length > ITEMS => too_many(),
        Some(_) => Ok(item),
        None => {
            let (of, mut stream, mut seen) = (item.clone(), None, 0);
            let next = move |machine: &Machine<'_>| {
                if stream.is_none() {
                    stream = Some(iterate(machine, &of)?);
                }
                let Some(stream) = &stream else { return Ok(None) };
                let next = stream.next(machine)?;
                seen += 1;
                if next.is_some() && seen > ITEMS { too_many() } else { Ok(next) }
            };
            Ok(Stream::over(&[&item], next)?.item())
        }
    }
}

/// The items of what is limited so.
pub(super) fn iterable(machine: &Machine<'_>, item: &Item) -> Result<Stream, Stop> {
    iterate(machine, &limited(item.clone())?)
}
