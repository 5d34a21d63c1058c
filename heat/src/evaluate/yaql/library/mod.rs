//! The functions of YAQL, by subject, as in `yaql.standard_library`.

mod branching;
mod collections;
mod context;
mod generators;
mod groups;
mod math;
mod operators;
mod queries;
mod regex;
mod searches;
mod sets;
mod strings;
mod uncomputed;

use std::rc::Rc;

use super::context::Lambda;
use super::item::{Item, Map};
use super::machine::{Given, Machine, Stop, unknown};
use super::overload::{CallKind, Overload};
use super::stream::{Stream, iterate};

/// Whether functions of this name are looked up in a way that is not computed here: names that are written in another form
/// than ours are looked up in another form, too.
pub(super) fn is_not_computed(name: &str) -> bool {
    name.starts_with('#') || name.contains('_')
}

/// Whether YAQL has no method of this name.
pub(super) fn is_no_method(name: &str) -> bool {
    !is_not_computed(name) && named(name).all(|overload| overload.kind == CallKind::Function)
}

/// All functions of this name.
pub(super) fn named(name: &str) -> impl Iterator<Item = &'static Overload> {
    [
        operators::TABLE,
        branching::TABLE,
        collections::TABLE,
        context::TABLE,
        generators::TABLE,
        groups::TABLE,
        math::TABLE,
        queries::TABLE,
        regex::TABLE,
        searches::TABLE,
        sets::TABLE,
        strings::TABLE,
        uncomputed::TABLE,
    ]
    .into_iter()
    .flatten()
    .filter(move |overload| overload.name == name)
}

/// The arguments of a function, by position. The machine ensures that they have the types in the table.
impl Given {
    fn item(&self, at: usize) -> &Item {
        &self.values[at]
    }

    fn text(&self, at: usize) -> Result<Rc<str>, Stop> {
        match &self.values[at] {
            Item::Text(text) => Ok(text.clone()),
            _ => unknown(),
        }
    }

    fn text_or_none(&self, at: usize) -> Result<Option<Rc<str>>, Stop> {
        match &self.values[at] {
            Item::Null => Ok(None),
            _ => self.text(at).map(Some),
        }
    }

    fn integer(&self, at: usize) -> Result<i128, Stop> {
        integer(&self.values[at])
    }

    fn flag(&self, at: usize) -> Result<bool, Stop> {
        match &self.values[at] {
            Item::Boolean(value) => Ok(*value),
            Item::Null => Ok(false),
            _ => unknown(),
        }
    }

    fn map(&self, at: usize) -> Result<Rc<Map>, Stop> {
        match &self.values[at] {
            Item::Map(map) => Ok(map.clone()),
            _ => unknown(),
        }
    }

    fn lambda(&self, at: usize) -> Result<Rc<Lambda>, Stop> {
        self.lambda_or_none(at)?.ok_or(Stop::Unknown)
    }

    fn lambda_or_none(&self, at: usize) -> Result<Option<Rc<Lambda>>, Stop> {
        match &self.values[at] {
            Item::Lambda(lambda) => Ok(Some(lambda.clone())),
            Item::Null | Item::Missing => Ok(None),
            _ => unknown(),
        }
    }

    fn stream(&self, machine: &Machine<'_>, at: usize) -> Result<Stream, Stop> {
        iterate(machine, &self.values[at])
    }

    /// A stream of the items that `next` computes from these streams and functions.
    fn over(&self, next: impl FnMut(&Machine<'_>) -> Result<Option<Item>, Stop> + 'static) -> Result<Item, Stop> {
        let of: Vec<&Item> = self.values.iter().chain(&self.rest).collect();
        Ok(Stream::over(&of, next)?.item())
    }
}

fn integer(item: &Item) -> Result<i128, Stop> {
    match item {
        Item::Integer(value) => Ok(*value),
        Item::Boolean(value) => Ok(i128::from(*value)),
        _ => unknown(),
    }
}

fn counted(length: usize) -> Item {
    Item::Integer(length as i128)
}
