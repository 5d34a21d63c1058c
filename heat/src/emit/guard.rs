//! Stands between a value and any serialiser, and lets through only what means the same in YAML 1.1 and in JSON.

use std::fmt::Display;

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::Scalar;

/// A value, or with `KEY` a key, that serialises through the guard.
pub(super) struct Guarded<'a, T: ?Sized, const KEY: bool>(&'a T);

impl<'a, T: ?Sized> Guarded<'a, T, false> {
    pub(super) fn value(value: &'a T) -> Self {
        Self(value)
    }
}

impl<T: Serialize + ?Sized, const KEY: bool> Serialize for Guarded<'_, T, KEY> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Guard::<S, KEY>(serializer))
    }
}

/// A serialiser `S`, or what it makes a list or map with, behind the guard.
struct Guard<S, const KEY: bool>(S);

impl<S: Serializer, const KEY: bool> Guard<S, KEY> {
    #[inline]
    fn whole(self, number: impl Display, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) -> Result<S::Ok, S::Error> {
        if KEY { self.0.serialize_str(&number.to_string()) } else { write(self.0) }
    }

    #[inline]
    fn float(self, finite: bool, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) -> Result<S::Ok, S::Error> {
        if !finite {
            return Err(S::Error::custom("a number that is infinite or not a number has no form in a template"));
        }
        Self::not_key("a number with a fraction")?;
        write(self.0)
    }

    #[inline]
    fn not_key(what: &str) -> Result<(), S::Error> {
        if KEY { Err(S::Error::custom(format_args!("a key must be text, not {what}"))) } else { Ok(()) }
    }
}

macro_rules! whole_numbers {
    ($($method:ident: $type:ty),* $(,)?) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.whole(value, |inner| inner.$method(value))
        }
    )*};
}

impl<S: Serializer, const KEY: bool> Serializer for Guard<S, KEY> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Guard<S::SerializeSeq, false>;
    type SerializeTuple = Guard<S::SerializeTuple, false>;
    type SerializeTupleStruct = Guard<S::SerializeTupleStruct, false>;
    type SerializeTupleVariant = Guard<S::SerializeTupleVariant, false>;
    type SerializeMap = Guard<S::SerializeMap, false>;
    type SerializeStruct = Guard<S::SerializeStruct, false>;
    type SerializeStructVariant = Guard<S::SerializeStructVariant, false>;

    whole_numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_bool: bool,
    }

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        self.float(value.is_finite(), |inner| inner.serialize_f32(value))
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        self.float(value.is_finite(), |inner| inner.serialize_f64(value))
    }

    fn serialize_char(self, value: char) -> Result<S::Ok, S::Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<S::Ok, S::Error> {
        if KEY { self.0.serialize_str(value) } else { Scalar(value).serialize(self.0) }
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("raw bytes have no form in a template"))
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        Self::not_key("nothing")?;
        self.0.serialize_unit()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<S::Ok, S::Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.serialize_str(variant)
    }

    // The name is dropped, and with it the wrappers of serde-saphyr that ask for a style: the guard chooses it.
    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        Self::not_key("a map")?;
        self.0.serialize_newtype_variant(name, index, variant, &Guarded::value(value))
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        Self::not_key("a list")?;
        self.0.serialize_seq(len).map(Guard)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        Self::not_key("a list")?;
        self.0.serialize_tuple(len).map(Guard)
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        Self::not_key("a list")?;
        self.0.serialize_tuple_struct(name, len).map(Guard)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        Self::not_key("a map")?;
        self.0.serialize_tuple_variant(name, index, variant, len).map(Guard)
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        Self::not_key("a map")?;
        self.0.serialize_map(len).map(Guard)
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct, S::Error> {
        Self::not_key("a map")?;
        self.0.serialize_struct(name, len).map(Guard)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        Self::not_key("a map")?;
        self.0.serialize_struct_variant(name, index, variant, len).map(Guard)
    }
}

macro_rules! guard_items {
    ($($trait:ident :: $method:ident),* $(,)?) => {$(
        impl<S: $trait> $trait for Guard<S, false> {
            type Ok = S::Ok;
            type Error = S::Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$method(&Guarded::value(value))
            }

            #[inline]
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )*};
}

guard_items! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! guard_fields {
    ($($trait:ident),* $(,)?) => {$(
        impl<S: $trait> $trait for Guard<S, false> {
            type Ok = S::Ok;
            type Error = S::Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), S::Error> {
                self.0.serialize_field(key, &Guarded::value(value))
            }

            fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
                self.0.skip_field(key)
            }

            #[inline]
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )*};
}

guard_fields!(SerializeStruct, SerializeStructVariant);

impl<S: SerializeMap> SerializeMap for Guard<S, false> {
    type Ok = S::Ok;
    type Error = S::Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(&Guarded::<T, true>(key))
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Guarded::value(value))
    }

    #[inline]
    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
