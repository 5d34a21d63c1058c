//! Bytes as base64 text (RFC 4648), which every file format of a model can hold.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize as _, Deserializer, Error as _};
use serde::ser::Serializer;

pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&STANDARD.encode(bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, [u8]>, D::Error> {
    let text = String::deserialize(from)?;
    STANDARD.decode(text).map(Cow::Owned).map_err(|error| D::Error::custom(format_args!("not base64: {error}")))
}
