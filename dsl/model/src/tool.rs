//! Tools in files, by name, for `#[serde(with)]`.
//!
//! The type itself is in a crate below the macros. That crate does without serde, because otherwise every author would
//! compile serde twice.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};
use wattle_recipe::Tool;

/// Writes a tool's name.
///
/// # Errors
/// The errors of the serializer.
pub fn serialize<S: Serializer>(tool: &Tool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(tool.name())
}

/// Reads a tool's name.
///
/// # Errors
/// No tool has this name.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tool, D::Error> {
    let name = Cow::<str>::deserialize(deserializer)?;
    Tool::named(&name).ok_or_else(|| D::Error::unknown_variant(&name, &Tool::NAMES))
}
