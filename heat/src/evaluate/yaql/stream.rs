//! Lazy iteration like Python's generators: nothing is computed before it is requested.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::context::Lambda;
use super::item::{Item, NESTED, Part};
use super::machine::{Machine, Stop, unknown};

type Next = Box<dyn FnMut(&Machine<'_>) -> Result<Option<Item>, Stop>>;

/// Items that can be read once.
#[derive(Clone)]
pub(super) struct Stream {
    next: Rc<RefCell<Next>>,
    pub(super) depth: u32,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

/// The items of a stream, iterated from the start each time.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    stream: Stream,
    seen: Rc<RefCell<Vec<Item>>>,
    pub(super) depth: u32,
}

/// A list that is sorted on demand.
#[derive(Debug)]
pub(super) struct Ordering {
    pub(super) of: Item,
    /// The sort keys, and whether each is ascending.
    pub(super) by: Vec<(Rc<Lambda>, bool)>,
    pub(super) depth: u32,
}

/// The depth of an item that is made from these items.
pub(super) fn depth_over(of: &[&Item]) -> Result<u32, Stop> {
    let depth = of.iter().map(|item| item.depth()).max().unwrap_or(0) + 1;
    if depth > NESTED { unknown() } else { Ok(depth) }
}

impl Stream {
    /// A stream of the items that `next` computes from these.
    pub(super) fn over(
        of: &[&Item],
        next: impl FnMut(&Machine<'_>) -> Result<Option<Item>, Stop> + 'static,
    ) -> Result<Self, Stop> {
        Ok(Self { next: Rc::new(RefCell::new(Box::new(next))), depth: depth_over(of)? })
    }

    pub(super) fn item(self) -> Item {
        Item::Stream(self)
    }

    pub(super) fn next(&self, machine: &Machine<'_>) -> Result<Option<Item>, Stop> {
        machine.deeper(|| match self.next.try_borrow_mut() {
            Ok(mut next) => next(machine),
            // A stream that reads itself.
            Err(_) => unknown(),
        })
    }

    /// All remaining items.
    pub(super) fn rest(&self, machine: &Machine<'_>) -> Result<Vec<Item>, Stop> {
        let mut items = Vec::new();
        while let Some(item) = self.next(machine)? {
            items.push(item);
        }
        Ok(items)
    }
}

impl Memory {
    pub(super) fn of(stream: Stream) -> Result<Self, Stop> {
        let item = Item::Stream(stream.clone());
        Ok(Self { stream, seen: Rc::default(), depth: depth_over(&[&item])? })
    }
}

/// The items of a value, as Python's `iter` yields them.
pub(super) fn iterate(machine: &Machine<'_>, item: &Item) -> Result<Stream, Stop> {
    let mut at = 0;
    match item {
        Item::Stream(stream) => Ok(stream.clone()),
        Item::Tuple(row) | Item::List(row) => {
            let row = row.clone();
            Stream::over(&[item], move |_| {
                at += 1;
                Ok(row.items.get(at - 1).cloned())
            })
        }
        Item::View(map, part) => {
            let (map, part) = (map.clone(), *part);
            Stream::over(&[item], move |_| {
                at += 1;
                let Some((key, value)) = map.entries.get(at - 1) else { return Ok(None) };
                Ok(Some(match part {
                    Part::Keys => key.clone(),
                    Part::Values => value.clone(),
                    Part::Items => Item::tuple(vec![key.clone(), value.clone()])?,
                }))
            })
        }
        // The order of larger sets is internal to Python.
        Item::Set(map) if map.entries.len() > 1 => unknown(),
        Item::Set(map) => iterate(machine, &Item::tuple(map.keys())?),
        Item::Memory(memory) => {
            let memory = memory.clone();
            Stream::over(&[item], move |machine| {
                at += 1;
                if let Some(item) = memory.seen.borrow().get(at - 1) {
                    return Ok(Some(item.clone()));
                }
                let next = memory.stream.next(machine)?;
                memory.seen.borrow_mut().extend(next.clone());
                Ok(next)
            })
        }
        Item::Ordering(ordering) => {
            let sorted = ordering.sorted(machine)?;
            iterate(machine, &Item::list(sorted)?)
        }
        _ => unknown(),
    }
}

impl Ordering {
    fn sorted(&self, machine: &Machine<'_>) -> Result<Vec<Item>, Stop> {
        let items = iterate(machine, &self.of)?.rest(machine)?;
        self.merged(machine, items)
    }

    /// Our own merge sort, because a comparison can fail.
    fn merged(&self, machine: &Machine<'_>, mut items: Vec<Item>) -> Result<Vec<Item>, Stop> {
        if items.len() < 2 {
            return Ok(items);
        }
        let second = items.split_off(items.len() / 2);
        let mut out = Vec::with_capacity(items.len() + second.len());
        let mut first = self.merged(machine, items)?.into_iter().peekable();
        let mut second = self.merged(machine, second)?.into_iter().peekable();
        while let (Some(one), Some(other)) = (first.peek(), second.peek()) {
            let next = if self.is_before(machine, other, one)? { second.next() } else { first.next() };
            out.extend(next);
        }
        out.extend(first);
        out.extend(second);
        Ok(out)
    }

    fn is_before(&self, machine: &Machine<'_>, one: &Item, other: &Item) -> Result<bool, Stop> {
        for (by, upwards) in &self.by {
            let [one, other] = [one, other].map(|item| by.call(machine, std::slice::from_ref(item)));
            let (one, other) = (one?, other?);
            if machine.operate("#operator_<", &one, &other)?.truth()? {
                return Ok(*upwards);
            }
            if machine.operate("#operator_>", &one, &other)?.truth()? {
                return Ok(!*upwards);
            }
        }
        Ok(false)
    }
}
