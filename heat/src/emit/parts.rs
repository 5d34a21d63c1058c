//! The entries of lists and maps.

use std::marker::PhantomData;
use std::mem;

use serde::ser::{self, Serialize};

use super::EmitError;
use super::words::Style;
use super::writer::{At, Gathered, Writer};

/// The opening and closing bracket of a list or a map in JSON.
pub(super) type Brackets = (&'static str, &'static str);
pub(super) const LIST: Brackets = ("[", "]");
pub(super) const MAP: Brackets = ("{", "}");

/// The entries of a list or a map.
pub(super) struct Parts<'w, 'o, S> {
    pub(super) into: &'w mut Gathered<'o>,
    /// Where it is written. After the first entry, a key.
    pub(super) at: At,
    pub(super) blanks: usize,
    pub(super) brackets: Brackets,
    /// Whether it is the value of an enum variant, which is a map with one key.
    pub(super) is_variant: bool,
    pub(super) style: PhantomData<S>,
}

impl<'o, S: Style> Parts<'_, 'o, S> {
    /// The number of levels of JSON that have one line per entry.
    const BROKEN_LEVELS: usize = 2;

    fn part(&mut self, at: At) -> Writer<'_, 'o, S> {
        Writer { into: self.into, at, style: self.style }
    }

    /// Moves to the start of the next entry.
    fn next(&mut self) -> Result<(), EmitError> {
        let at = mem::replace(&mut self.at, At::Key(0));
        if S::IS_JSON {
            let separator = if matches!(at, At::Key(_)) { "," } else { "" };
            self.into.push(separator);
            return self.break_line(self.blanks, if separator.is_empty() { "" } else { " " });
        }
        match at {
            At::Root | At::Item(_) => return Ok(()),
            At::Value(_) => self.into.end_line()?,
            At::Key(_) => {}
        }
        self.into.indent(self.blanks);
        Ok(())
    }

    /// Breaks the line in JSON's outermost levels, and writes `or` in the others.
    fn break_line(&mut self, blanks: usize, or: &str) -> Result<(), EmitError> {
        if self.blanks > 2 * Self::BROKEN_LEVELS {
            self.into.push(or);
            return Ok(());
        }
        self.into.end_line()?;
        self.into.indent(blanks);
        Ok(())
    }

    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), EmitError> {
        self.next()?;
        self.into.push(if S::IS_JSON { "" } else { "- " });
        let at = At::Item(self.blanks);
        value.serialize(self.part(at))
    }

    pub(super) fn key(&mut self, key: &(impl Serialize + ?Sized)) -> Result<(), EmitError> {
        self.next()?;
        let at = At::Key(self.blanks);
        key.serialize(self.part(at))?;
        if self.into.is_long_key {
            self.into.end_line()?;
            self.into.indent(self.blanks);
        }
        self.into.push(":");
        Ok(())
    }

    /// The position of the value of the last key.
    pub(super) fn behind_key(&mut self) -> At {
        if mem::take(&mut self.into.is_long_key) {
            self.into.push(" ");
            return At::Item(self.blanks);
        }
        At::Value(self.blanks)
    }

    pub(super) fn value(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), EmitError> {
        let at = self.behind_key();
        value.serialize(self.part(at))
    }

    pub(super) fn finish(mut self) -> Result<(), EmitError> {
        let has_parts = matches!(self.at, At::Key(_));
        if S::IS_JSON {
            if has_parts {
                self.break_line(self.blanks - 2, "")?;
            }
            self.into.push(self.brackets.1);
        } else if !has_parts {
            let (at, (open, close)) = (self.at, self.brackets);
            self.part(at).word(format_args!("{open}{close}"))?;
        }
        if self.is_variant {
            let Self { into, blanks, style, .. } = self;
            Self { into, at: At::Key(0), blanks: blanks - 2, brackets: MAP, is_variant: false, style }.finish()?;
        }
        Ok(())
    }

    pub(super) fn of_variant(self) -> Self {
        Self { is_variant: S::IS_JSON, ..self }
    }
}

macro_rules! items {
    ($($trait:ident :: $method:ident),* $(,)?) => {$(
        impl<S: Style> ser::$trait for Parts<'_, '_, S> {
            type Ok = ();
            type Error = EmitError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EmitError> {
                self.item(value)
            }

            fn end(self) -> Result<(), EmitError> {
                self.finish()
            }
        }
    )*};
}

items! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! fields {
    ($($trait:ident),* $(,)?) => {$(
        impl<S: Style> ser::$trait for Parts<'_, '_, S> {
            type Ok = ();
            type Error = EmitError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), EmitError> {
                self.key(key)?;
                self.value(value)
            }

            fn end(self) -> Result<(), EmitError> {
                self.finish()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl<S: Style> ser::SerializeMap for Parts<'_, '_, S> {
    type Ok = ();
    type Error = EmitError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EmitError> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EmitError> {
        self.value(value)
    }

    fn end(self) -> Result<(), EmitError> {
        self.finish()
    }
}
