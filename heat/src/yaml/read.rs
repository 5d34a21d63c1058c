//! Reading: which of the two grammars a text is in, and what no text may exceed.

use super::parser::Parser;
use super::{Error, Node, Problem, Span, compose, json, reader};

/// The longest text that is read, in bytes: 128 times what Heat takes as a template by default.
///
/// This and [`NODES`] keep what reading takes of memory well below a gigabyte.
pub const BYTES: usize = 64 << 20;
/// The deepest nesting that is read, aliases written out.
///
/// Heat works on templates by recursion, and Python ends that at a thousand calls: asked, its engine takes values of 300
/// levels and none of 330, and its service has calls of its own around it.
pub const DEPTH: usize = 256;
/// The most values that are read, each alias counted as all that it stands for, each 64 bytes of text as one more.
///
/// Seven times what 512 KiB can hold without aliases, which is all that Heat takes by default. Whoever writes the tree out
/// without aliases, as Heat does, writes no more than some hundred megabytes.
pub const NODES: u64 = 2_000_000;

/// Reads a text as Heat does: as JSON if it is JSON by Python's rules, else as YAML's one document. YAML without any
/// document is [`super::Tree::Null`].
///
/// # Errors
///
/// The first thing that keeps the text from being read.
pub fn read(text: &str) -> Result<Node, Error> {
    if text.len() > BYTES {
        return Err(Error::new(Problem::TooLong { bytes: text.len() }, Span::default()));
    }
    if let Some(node) = json::read(text)? {
        return Ok(node);
    }
    let mut parser = Parser::new(text)?;
    compose::compose(|| parser.next())
}

/// Reads a file's bytes, which are UTF-8, as Heat's client takes them.
///
/// # Errors
///
/// As [`read`], or that they are something else.
pub fn read_bytes(bytes: &[u8]) -> Result<Node, Error> {
    if bytes.len() > BYTES {
        return Err(Error::new(Problem::TooLong { bytes: bytes.len() }, Span::default()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(_) if matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) => {
            Err(Error::new(Problem::Utf16, Span::default()))
        }
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            Err(Error::new(Problem::NotUtf8, Span::of_one(reader::place_behind(valid))))
        }
    }
}
