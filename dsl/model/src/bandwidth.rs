//! Bandwidths in files, as people write them, for `#[serde(with)]`.
//!
//! The type itself is in a crate below the macros, which does without serde.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use wattle_words::Bandwidth;

/// Writes a bandwidth as text, or nothing.
///
/// # Errors
/// The errors of the serializer.
#[expect(clippy::ref_option, reason = "the signature that serde requires")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
pub(crate) fn serialize<S: Serializer>(bandwidth: &Option<Bandwidth>, serializer: S) -> Result<S::Ok, S::Error> {
    match bandwidth {
        Some(bandwidth) => serializer.collect_str(bandwidth),
        None => serializer.serialize_none(),
    }
}

/// Reads a bandwidth, or nothing.
///
/// # Errors
/// The text is not a bandwidth.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bandwidth>, D::Error> {
    let text = Option::<Cow<'_, str>>::deserialize(deserializer)?;
    text.map(|text| Bandwidth::read(&text).map_err(D::Error::custom)).transpose()
}
