//! Tools in files: by their names, for `#[serde(with)]`.
//!
//! The type itself stands below the macros, which do without serde: they would make every author compile it twice.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};
use wattle_recipe::Tool;

/// Writes a tool's name.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(tool: &Tool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(tool.name())
}

/// Reads a tool's name.
///
/// # Errors
/// No tool is called so.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tool, D::Error> {
    let name = Cow::<str>::deserialize(deserializer)?;
    Tool::named(&name).ok_or_else(|| D::Error::unknown_variant(&name, &Tool::NAMES))
}
