//! Scalar port types that the standard library lacks.

use std::fmt;
use std::str::FromStr;

/// An absolute URL (RFC 3986), kept as it was written.
///
/// One is made by parsing. Where a `Url` is computed from values that are not known yet, take a `String` input and
/// [`text!`](crate::text) instead.
///
/// ```
/// use wattle::prelude::*;
///
/// let mirror: Url = "http://mirror.example.com/debian".parse()?;
/// assert_eq!(mirror.as_str(), "http://mirror.example.com/debian");
/// assert!("/debian".parse::<Url>().is_err());
/// # Ok::<(), wattle::author::NotAUrl>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Url(String);

impl Url {
    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text that is not an absolute URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an absolute URL")]
pub struct NotAUrl {
    text: String,
}

impl FromStr for Url {
    type Err = NotAUrl;

    fn from_str(text: &str) -> Result<Self, NotAUrl> {
        match fluent_uri::Uri::parse(text) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(_) => Err(NotAUrl { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
