//! URLs.

use std::fmt;
use std::str::FromStr;

use crate::{Malformed, Scalar};

/// An absolute URL (RFC 3986), kept as it was written.
///
/// Parse text to get one. If a `Url` is computed from values that are not known yet, use a `String` input and `text!`
/// instead.
///
/// ```
/// use wattle_words::types::Url;
///
/// let mirror: Url = "http://mirror.example.com/debian".parse()?;
/// assert_eq!(mirror.as_str(), "http://mirror.example.com/debian");
/// assert!("/debian".parse::<Url>().is_err());
/// # Ok::<(), wattle_words::Malformed>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Url(String);

impl Url {
    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `part` may be a part of a URL whose other parts are not known yet.
pub(crate) fn is_part(part: &str, is_first: bool) -> bool {
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        let is_fine = match byte {
            // What follows it may be in the next part.
            b'%' => rest.by_ref().take(2).all(|digit| digit.is_ascii_hexdigit()),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte),
        };
        if !is_fine {
            return false;
        }
    }
    // RFC 3986, 3.1: the scheme. It may end in the next part.
    let scheme = part.split(':').next().unwrap_or_default();
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    !is_first || part.is_empty() || is_scheme
}

impl FromStr for Url {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        match fluent_uri::Uri::parse(text) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(_) => Err(Malformed::new(Scalar::Uri, text)),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
