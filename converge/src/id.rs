//! Names of rows and jobs, which are never reused.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, de};

/// The name of a job or of a row. A row's name is also the mark of its thing in the cloud.
///
/// It is a number within a leader's term. Terms never repeat, so marks do not either, whatever data was lost: a late
/// request of a long deleted row can never be mistaken for another row's. It is written as `TERM-NUMBER`.
///
/// ```
/// use wattle_converge::Id;
///
/// let id = Id { term: 3, number: 17 };
/// assert_eq!(id.to_string(), "3-17");
/// assert_eq!("3-17".parse(), Ok(id));
/// assert_eq!("3".parse::<Id>().unwrap_err().to_string(), "`3` is not a row's name such as `3-17`");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// The term of the leader that issued it.
    pub term: u64,
    /// Its number within that term.
    pub number: u64,
}

impl Id {
    /// Whether no leader issued it.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.term, self.number)
    }
}

/// The error for a text that is not an [`Id`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a row's name such as `3-17`")]
pub struct NoId(String);

impl FromStr for Id {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let parts = text.split_once('-').and_then(|(term, number)| Some((term.parse().ok()?, number.parse().ok()?)));
        let (term, number) = parts.ok_or_else(|| NoId(text.to_owned()))?;
        Ok(Self { term, number })
    }
}

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}
