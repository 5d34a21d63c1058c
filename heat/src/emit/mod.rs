//! Writes what Heat reads: a template as YAML or as JSON, the same value in both.
//!
//! Heat reads YAML with `PyYAML`, that is YAML 1.1, in which an unquoted `no` is false and `22:22` is 1342. The output
//! means the same in YAML 1.1 and 1.2. The origin of the values does not belong here, and neither does the style of text in
//! files that only wattle reads, which have their own [`Style`].
//!
//! - Text is read back as the same text, both as a value and as a key. Multi-line text becomes a literal block (`|`)
//!   wherever YAML can express it as one, and is quoted otherwise. Nothing is folded, and there are no anchors.
//! - Keys are text in both formats: an integer or a boolean as a key is written as its text.
//! - Values that JSON cannot express (a float that is not finite, raw bytes, a key that is a list) are errors in both.

mod parts;
mod words;
mod writer;

use std::io;

use serde::{Serialize, ser};

pub use self::words::Style;

use self::words::{Json, Yaml};

/// Why a value could not be emitted.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// Writing to the output failed.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    /// A value has no form that means the same in YAML and in JSON.
    #[error("{0}")]
    Value(String),
}

impl ser::Error for EmitError {
    fn custom<T: std::fmt::Display>(why: T) -> Self {
        Self::Value(why.to_string())
    }
}

/// Writes `value` as one YAML document in block style, indented by two spaces per level, with a trailing newline.
///
/// # Errors
/// `out` fails, or a value has no form in a template (see the [module](self)).
pub fn yaml<T: Serialize + ?Sized>(value: &T, out: &mut impl io::Write) -> Result<(), EmitError> {
    writer::write::<Yaml>(value, out)
}

/// Writes `value` in the same layout with another style.
///
/// # Errors
/// `out` fails, or a value has no form in the style.
pub fn styled<S: Style>(value: &impl Serialize, out: &mut impl io::Write) -> Result<(), EmitError> {
    writer::write::<S>(value, out)
}

/// The YAML that [`yaml`] writes, as text.
///
/// # Errors
/// A value has no form in a template (see the [module](self)).
pub fn to_yaml<T: Serialize + ?Sized>(value: &T) -> Result<String, EmitError> {
    let mut out = Vec::new();
    yaml(value, &mut out)?;
    String::from_utf8(out).map_err(|error| EmitError::Value(error.to_string()))
}

/// Writes `value` as JSON, with a trailing newline. Each entry of a section (a resource, a parameter) has its own line. This
/// keeps diffs readable and is hardly longer than the densest form, which matters because Heat limits a template's size.
///
/// # Errors
/// `out` fails, or a value has no form in a template (see the [module](self)).
pub fn json<T: Serialize + ?Sized>(value: &T, out: &mut impl io::Write) -> Result<(), EmitError> {
    writer::write::<Json>(value, out)
}

/// The JSON that [`json`] writes, as text.
///
/// # Errors
/// A value has no form in a template (see the [module](self)).
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, EmitError> {
    let mut out = Vec::new();
    json(value, &mut out)?;
    String::from_utf8(out).map_err(|error| EmitError::Value(error.to_string()))
}
