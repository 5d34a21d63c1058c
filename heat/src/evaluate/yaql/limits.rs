//! Heat's limits for an expression: `limit_iterators` and `memory_quota` in its section `yaql`.

use super::item::{Item, Part};
use super::machine::{Machine, Stop, unknown, wrong};
use super::stream::{Stream, iterate};

/// The most items of an iterable: Heat's `limit_iterators`.
const ITEMS: usize = 200;

/// The most bytes of a value in Python's memory: Heat's `memory_quota`.
const MEMORY: usize = 10_000;

/// How much versions of Python differ.
const BLUR: usize = 100;

/// Refuses values that take too much of Python's memory together. Lists and texts count, but not the items of lists.
pub(super) fn memory<'i>(items: impl IntoIterator<Item = &'i Item>) -> Result<(), Stop> {
    enough(items.into_iter().map(bytes).fold((0, 0), |(least, most), size| (least + size.0, most + size.1)))
}

/// The same for a value with this minimum and maximum size.
pub(super) fn enough((least, most): (usize, usize)) -> Result<(), Stop> {
    if least > MEMORY + BLUR {
        return wrong(format!(
            "a value takes {least} bytes, but Heat allows {MEMORY} (the setting `memory_quota` in its section `yaql`)"
        ));
    }
    if most + BLUR > MEMORY { unknown() } else { Ok(()) }
}

/// The minimum and maximum size of a value in Python's memory.
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
        // Python overallocates lists.
        Item::List(row) => (56 + 8 * row.items.len(), 120 + 9 * row.items.len()),
        _ => (0, 0),
    }
}

fn too_many<T>() -> Result<T, Stop> {
    wrong(format!(
        "a list has more than {ITEMS} items, the most that Heat allows (the setting `limit_iterators` in its \
         section `yaql`)"
    ))
}

/// Limits an iterable: it is refused immediately if it is known to be too long, otherwise during iteration.
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

/// The items of an iterable, limited in the same way.
pub(super) fn iterable(machine: &Machine<'_>, item: &Item) -> Result<Stream, Stop> {
    iterate(machine, &limited(item.clone())?)
}
