//! The values that a configuration accepts, found by probing its `Deserialize` implementation.
//!
//! Each probe examines one path, so that a recursive type, or a part that cannot be probed, does no harm. Whatever cannot
//! be found out is [`Shape::Unknown`]; in that case, serde's own error must do.

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// One step from a setting to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// A name.
    Key(String),
    /// An index in a list.
    Item(usize),
}

/// What one place accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// Settings with these names.
    Settings(&'static [&'static str]),
    /// `true` or `false`.
    Boolean,
    /// A whole number within bounds, both inclusive.
    Integer { min: i128, max: i128 },
    /// A number.
    Float,
    /// Text.
    Text,
    /// A list of values.
    List,
    /// A map of values by name.
    Map,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Not found out.
    Unknown,
}

/// What one place accepts, and whether it may be left empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) shape: Shape,
    pub(super) optional: bool,
}

/// The values that `C` accepts at `path`.
pub(super) fn at<C: DeserializeOwned>(path: &[Step]) -> Place {
    let mut found = Place { shape: Shape::Unknown, optional: false };
    // Every answer is an error, which ends the probe.
    let _ = C::deserialize(Probe { path, found: &mut found });
    found
}

struct Probe<'p> {
    path: &'p [Step],
    found: &'p mut Place,
}

#[derive(Debug, thiserror::Error)]
#[error("asked")]
struct Asked;

impl de::Error for Asked {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

impl Probe<'_> {
    fn answer<T>(self, shape: Shape) -> Result<T, Asked> {
        if self.path.is_empty() {
            self.found.shape = shape;
        }
        Err(Asked)
    }

    fn map<'de, V: Visitor<'de>>(self, shape: Shape, visitor: V) -> Result<V::Value, Asked> {
        match self.path {
            [Step::Key(key), path @ ..] => {
                let inner = Probe { path, found: self.found };
                visitor.visit_map(One { key: Some(key), inner: Some(inner) })
            }
            _ => self.answer(shape),
        }
    }
}

macro_rules! answers {
    ($($method:ident => $shape:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
            self.answer($shape)
        }
    )*};
}

macro_rules! integers {
    ($($method:ident: $ty:ident;)*) => {
        answers! {$($method => Shape::Integer { min: i128::from($ty::MIN), max: i128::from($ty::MAX) };)*}
    };
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Asked;

    answers! {
        deserialize_any => Shape::Unknown;
        deserialize_ignored_any => Shape::Unknown;
        deserialize_identifier => Shape::Unknown;
        deserialize_unit => Shape::Unknown;
        deserialize_bytes => Shape::Unknown;
        deserialize_byte_buf => Shape::Unknown;
        deserialize_bool => Shape::Boolean;
        deserialize_i128 => Shape::Integer { min: i128::MIN, max: i128::MAX };
        deserialize_u128 => Shape::Integer { min: 0, max: i128::MAX };
        deserialize_f32 => Shape::Float;
        deserialize_f64 => Shape::Float;
        deserialize_char => Shape::Text;
        deserialize_str => Shape::Text;
        deserialize_string => Shape::Text;
    }

    integers! {
        deserialize_i8: i8;
        deserialize_i16: i16;
        deserialize_i32: i32;
        deserialize_i64: i64;
        deserialize_u8: u8;
        deserialize_u16: u16;
        deserialize_u32: u32;
        deserialize_u64: u64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Asked> {
        if self.path.is_empty() {
            self.found.optional = true;
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Asked> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Asked> {
        match self.path {
            [Step::Item(_), path @ ..] => {
                let inner = Probe { path, found: self.found };
                visitor.visit_seq(One { key: None, inner: Some(inner) })
            }
            _ => self.answer(Shape::List),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Asked> {
        self.map(Shape::Map, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Asked> {
        self.map(Shape::Settings(fields), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Asked> {
        self.answer(Shape::Choice(variants))
    }

    // The items of a tuple differ, so the first one says nothing about the others.
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Asked> {
        self.answer(Shape::List)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, _: V) -> Result<V::Value, Asked> {
        self.answer(Shape::List)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Result<V::Value, Asked> {
        self.answer(Shape::Unknown)
    }
}

/// A map with one entry or a list with one item, in which the probe continues.
struct One<'p> {
    key: Option<&'p str>,
    inner: Option<Probe<'p>>,
}

impl<'de> MapAccess<'de> for One<'_> {
    type Error = Asked;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Asked> {
        let key = self.key.take();
        key.map(|key| seed.deserialize(de::value::StrDeserializer::new(key))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Asked> {
        seed.deserialize(self.inner.take().ok_or(Asked)?)
    }
}

impl<'de> SeqAccess<'de> for One<'_> {
    type Error = Asked;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Asked> {
        self.inner.take().map(|inner| seed.deserialize(inner)).transpose()
    }
}

/// The shape with its article, as messages write it: `an integer between 0 and 255`.
impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Settings(names) => {
                write!(f, "settings of its own ({})", crate::names::list(names.iter().copied(), "and"))
            }
            Self::Boolean => f.write_str("`true` or `false`"),
            Self::Integer { min, .. } if *min < i128::from(i32::MIN) => f.write_str("an integer"),
            Self::Integer { min: 0, max } if *max > i128::from(u32::MAX) => f.write_str("an integer from 0"),
            Self::Integer { min, max } => write!(f, "an integer between {min} and {max}"),
            Self::Float => f.write_str("a number"),
            Self::Text => f.write_str("text"),
            Self::List => f.write_str("a list"),
            Self::Map => f.write_str("a map"),
            Self::Choice(words) => f.write_str(&crate::names::list(words.iter().copied(), "or")),
            Self::Unknown => f.write_str("a value"),
        }
    }
}
