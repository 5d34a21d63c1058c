//! Writes what Heat reads: a template as YAML or as JSON, the same value in both.
//!
//! Heat reads YAML with `PyYAML`, that is YAML 1.1, where an unquoted `no` is false and `22:22` is 1342. What is written
//! here means the same to YAML 1.1 and 1.2. What the values are and where they come from does not belong here; nor do
//! the files that only wattle reads.
//!
//! - Text comes back as the same text, as a value and as a key. Text of several lines is a literal block (`|`) wherever
//!   YAML can express it so, and quoted otherwise. Nothing is folded, and there are no anchors.
//! - Keys are text in both formats: a whole number or a bool as a key is written as its text.
//! - What JSON cannot express (a float that is not finite, raw bytes, a key that is a list) is an error in both.

mod buffer;
mod guard;
mod lines;
mod scalar;

#[cfg(test)]
mod tests;

use std::io;

use serde::Serialize;

pub use self::scalar::Scalar;

use self::{buffer::Buffer, guard::Guarded, lines::Lines};

/// Why something could not be emitted.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The file or pipe did not take what was written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    /// A value has no form that means the same in YAML and in JSON.
    #[error("{0}")]
    Value(String),
}

/// Writes `value` as one YAML document in block style, two blanks a level, with a newline at the end.
///
/// # Errors
/// When `out` fails, or a value has no form in a template (see the [module](self)).
pub fn yaml<T: Serialize + ?Sized>(value: &T, out: &mut impl io::Write) -> Result<(), EmitError> {
    let mut buffer = Buffer::new(out);
    let done = serde_saphyr::to_fmt_writer_with_options(&mut buffer, &Guarded::value(value), options());
    buffer.finish()?;
    done.map_err(|error| EmitError::Value(error.to_string()))
}

/// The YAML that [`yaml`] writes, as text.
///
/// # Errors
/// When a value has no form in a template (see the [module](self)).
pub fn to_yaml<T: Serialize + ?Sized>(value: &T) -> Result<String, EmitError> {
    let mut out = Vec::new();
    yaml(value, &mut out)?;
    String::from_utf8(out).map_err(|error| EmitError::Value(error.to_string()))
}

/// Writes `value` as JSON, with a newline at the end: one line for each of a section's parts (a resource, a parameter),
/// which keeps differences readable and is hardly longer than the densest form. Heat counts a template's characters.
///
/// # Errors
/// When `out` fails, or a value has no form in a template (see the [module](self)).
pub fn json<T: Serialize + ?Sized>(value: &T, out: &mut impl io::Write) -> Result<(), EmitError> {
    let mut buffered = io::BufWriter::with_capacity(buffer::FULL, out);
    let mut serializer = serde_json::Serializer::with_formatter(&mut buffered, Lines::new());
    Guarded::value(value).serialize(&mut serializer).map_err(|error| {
        if error.is_io() { EmitError::Write(error.into()) } else { EmitError::Value(error.to_string()) }
    })?;
    io::Write::write_all(&mut buffered, b"\n")?;
    io::Write::flush(&mut buffered)?;
    Ok(())
}

/// The JSON that [`json`] writes, as text.
///
/// # Errors
/// When a value has no form in a template (see the [module](self)).
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, EmitError> {
    let mut out = Vec::new();
    json(value, &mut out)?;
    String::from_utf8(out).map_err(|error| EmitError::Value(error.to_string()))
}

fn options() -> serde_saphyr::SerializerOptions {
    serde_saphyr::ser_options! {
        indent_step: 2,
        compact_list_indent: true,
        // Literal blocks are chosen by `Scalar`; the serialiser's own choice takes text that libyaml refuses, and folds.
        prefer_block_scalars: false,
        // Quotes what YAML 1.1 would take for a bool, a number, a date, ...
        yaml_12: false,
    }
}
