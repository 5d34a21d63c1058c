//! URLs.

use std::fmt;
use std::str::FromStr;

use crate::{Malformed, Scalar};

/// An absolute URL (RFC 3986), kept as it was written.
///
/// One is made by parsing. Where a `Url` is computed from values that are not known yet, take a `String` input and
/// `text!` instead.
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
