//! The style of one piece of text: plain, quoted or a literal block.

use serde::{Serialize, Serializer};
use serde_saphyr::{DoubleQuoted, LitStr};

/// Text that YAML 1.1 and 1.2 read back unchanged, whatever it contains; several lines become a literal block where
/// that is possible. To any serialiser other than serde-saphyr's it is simply the text. It can be a key as well.
///
/// [`yaml`](super::yaml) treats all text so; wrapping is for where serde-saphyr is called directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scalar<'a>(pub &'a str);

impl Serialize for Scalar<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.as_bytes().contains(&b'\n') {
            serializer.serialize_str(self.0)
        } else if fits_literal_block(self.0) {
            LitStr(self.0).serialize(serializer)
        } else {
            DoubleQuoted(self.0).serialize(serializer)
        }
    }
}

/// Whether `PyYAML` reads a literal block of `text` back unchanged.
///
/// The serialiser checks the characters itself. What it does not know: libyaml, with which `PyYAML` reads, refuses a
/// tab where it still looks for the indentation, which is at the head of the first line that is not empty.
fn fits_literal_block(text: &str) -> bool {
    let body = text.trim_start_matches('\n');
    !body.is_empty() && !body.starts_with('\t')
}
