//! The writer of both formats. YAML is in block style: two spaces per level, and lists are not indented further than the
//! key that they belong to. JSON has one line per entry of a section, and each entry is dense.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::marker::PhantomData;

use serde::ser::{Error as _, Serialize, Serializer};

use super::EmitError;
use super::parts::{Brackets, LIST, MAP, Parts};
use super::words::{Style, is_surely_plain};

/// The number of bytes that are buffered before they are written.
pub(super) const FULL: usize = 64 * 1024;

/// The position at which something is written.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// At the beginning.
    Root,
    /// As a key, indented by this many spaces.
    Key(usize),
    /// After a key and its colon, where the key is indented by this many spaces.
    Value(usize),
    /// As an item of a list whose dash is indented by this many spaces.
    Item(usize),
}

/// Buffers text for `out`.
pub(super) struct Gathered<'o> {
    pub(super) text: Vec<u8>,
    /// Whether the last key has its own line, after a question mark.
    pub(super) is_long_key: bool,
    out: &'o mut dyn io::Write,
}

impl Gathered<'_> {
    pub(super) fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    pub(super) fn indent(&mut self, blanks: usize) {
        self.text.resize(self.text.len() + blanks, b' ');
    }

    /// Writes lines, with all but the first indented by this many more spaces. A character that ends a line for the library
    /// that wrote them, as in YAML 1.1, also ends one here.
    fn lines(&mut self, text: &str, blanks: usize) -> Result<(), EmitError> {
        for (number, line) in text.split_inclusive(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).enumerate() {
            if number > 0 && line != "\n" {
                self.indent(blanks);
            }
            match line.strip_suffix('\n') {
                Some(line) => {
                    self.push(line);
                    self.end_line()?;
                }
                None => self.push(line),
            }
        }
        Ok(())
    }

    /// Ends a line, and writes the buffer if it is full.
    pub(super) fn end_line(&mut self) -> Result<(), EmitError> {
        self.text.push(b'\n');
        if self.text.len() >= FULL {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}

/// Writes `value` as one document.
pub(super) fn write<S: Style>(value: &(impl Serialize + ?Sized), out: &mut dyn io::Write) -> Result<(), EmitError> {
    let mut gathered = Gathered { text: Vec::with_capacity(FULL + FULL / 8), is_long_key: false, out };
    value.serialize(Writer::<S> { into: &mut gathered, at: At::Root, style: PhantomData })?;
    if S::IS_JSON {
        gathered.end_line()?;
    }
    Ok(gathered.out.write_all(&gathered.text)?)
}

/// Writes one value.
pub(super) struct Writer<'w, 'o, S> {
    pub(super) into: &'w mut Gathered<'o>,
    pub(super) at: At,
    pub(super) style: PhantomData<S>,
}

impl<'w, 'o, S: Style> Writer<'w, 'o, S> {
    /// Writes the space after a colon.
    fn begin_value(&mut self) {
        if matches!(self.at, At::Value(_)) {
            self.into.push(" ");
        }
    }

    fn end_value(self) -> Result<(), EmitError> {
        if S::IS_JSON || matches!(self.at, At::Key(_)) { Ok(()) } else { self.into.end_line() }
    }

    /// Writes a word unchanged. As a key it is text.
    pub(super) fn word(mut self, word: impl Display) -> Result<(), EmitError> {
        if matches!(self.at, At::Key(_)) {
            return self.serialize_str(&word.to_string());
        }
        self.begin_value();
        write!(self.into.text, "{word}")?;
        self.end_value()
    }

    fn not_key(&self, what: &str) -> Result<(), EmitError> {
        match self.at {
            At::Key(_) => Err(EmitError::Value(format!("a key must be text, not {what}"))),
            _ => Ok(()),
        }
    }

    /// Writes text in the form that the style defines.
    fn styled(mut self, text: &str) -> Result<(), EmitError> {
        let (is_key, blanks) = match self.at {
            At::Root => (false, 0),
            At::Value(blanks) | At::Item(blanks) => (false, blanks),
            At::Key(blanks) => (true, blanks),
        };
        let form = S::text(text, is_key)?;
        self.into.is_long_key = is_key && form.starts_with("? ");
        self.begin_value();
        self.into.lines(&form, blanks)?;
        self.end_value()
    }

    /// Begins a list or a map whose entries are indented by `deeper` more spaces than the key that it belongs to.
    fn begin(mut self, brackets: Brackets, deeper: usize) -> Result<Parts<'w, 'o, S>, EmitError> {
        self.not_key(if brackets == LIST { "a list" } else { "a map" })?;
        let blanks = match self.at {
            At::Root | At::Key(_) => {
                if S::IS_JSON {
                    2
                } else {
                    0
                }
            }
            At::Item(blanks) => blanks + 2,
            At::Value(blanks) => blanks + if S::IS_JSON { 2 } else { deeper },
        };
        if S::IS_JSON {
            self.begin_value();
            self.into.push(brackets.0);
        }
        Ok(Parts { into: self.into, at: self.at, blanks, brackets, is_variant: false, style: self.style })
    }

    fn list(self) -> Result<Parts<'w, 'o, S>, EmitError> {
        self.begin(LIST, 0)
    }

    fn map(self) -> Result<Parts<'w, 'o, S>, EmitError> {
        self.begin(MAP, 2)
    }

    /// Begins a map with one key, and moves to its value.
    fn variant(self, name: &'static str) -> Result<Self, EmitError> {
        let mut parts = self.map()?;
        parts.key(name)?;
        let at = parts.behind_key();
        Ok(Writer { into: parts.into, at, style: parts.style })
    }
}

macro_rules! words {
    ($($method:ident: $type:ty),* $(,)?) => {$(
        fn $method(self, value: $type) -> Result<(), EmitError> {
            self.word(value)
        }
    )*};
}

impl<'w, 'o, S: Style> Serializer for Writer<'w, 'o, S> {
    type Ok = ();
    type Error = EmitError;
    type SerializeSeq = Parts<'w, 'o, S>;
    type SerializeTuple = Parts<'w, 'o, S>;
    type SerializeTupleStruct = Parts<'w, 'o, S>;
    type SerializeTupleVariant = Parts<'w, 'o, S>;
    type SerializeMap = Parts<'w, 'o, S>;
    type SerializeStruct = Parts<'w, 'o, S>;
    type SerializeStructVariant = Parts<'w, 'o, S>;

    words! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_bool: bool,
    }

    fn serialize_f32(self, value: f32) -> Result<(), EmitError> {
        self.not_key("a number with a fraction")?;
        self.word(S::float(value)?)
    }

    fn serialize_f64(self, value: f64) -> Result<(), EmitError> {
        self.not_key("a number with a fraction")?;
        self.word(S::float(value)?)
    }

    fn serialize_char(self, value: char) -> Result<(), EmitError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(mut self, value: &str) -> Result<(), EmitError> {
        if S::IS_JSON {
            self.begin_value();
            return serde_json::to_writer(&mut self.into.text, value).map_err(EmitError::custom);
        }
        if value.len() > 128 || !is_surely_plain(value, matches!(self.at, At::Key(_))) {
            return self.styled(value);
        }
        self.begin_value();
        self.into.push(value);
        self.end_value()
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<(), EmitError> {
        Err(EmitError::custom("a template cannot contain raw bytes"))
    }

    fn serialize_none(self) -> Result<(), EmitError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), EmitError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), EmitError> {
        self.not_key("nothing")?;
        self.word("null")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), EmitError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), EmitError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), EmitError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), EmitError> {
        let mut map = self.map()?;
        map.key(variant)?;
        map.value(value)?;
        map.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, EmitError> {
        self.list()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, EmitError> {
        self.list()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, EmitError> {
        self.list()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, EmitError> {
        Ok(self.variant(variant)?.list()?.of_variant())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, EmitError> {
        self.map()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, EmitError> {
        self.map()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, EmitError> {
        Ok(self.variant(variant)?.map()?.of_variant())
    }
}
