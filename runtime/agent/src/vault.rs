//! Opens and seals secrets. The method is hidden from the rules.

use serde::{Deserialize, Serialize};
use wattle_model::Value;

use crate::content::Content;

/// Opens secrets for one server, and seals them for their readers.
///
/// Errors are only the reason, to be placed after a colon in a message.
pub trait Vault {
    /// Opens a text that was sealed for this server alone: by the operator in its plan, or by the server in its
    /// journal.
    ///
    /// # Errors
    /// The text was not sealed for this server, or does not contain a value.
    fn open(&self, sealed: &str) -> Result<Value, String>;

    /// Opens a text that was sealed for the readers of `entry`.
    ///
    /// # Errors
    /// The text was not sealed for this server, was sealed for another entry, or does not contain a value.
    fn open_entry(&self, entry: &str, sealed: &str) -> Result<Value, String>;

    /// Seals `value` as the content of `entry`, for each of `recipients`. It cannot be opened in another entry.
    ///
    /// # Errors
    /// There are no recipients, or one of them is invalid.
    fn seal(&self, entry: &str, value: &Value, recipients: &[String]) -> Result<Content, String>;

    /// Converts `value` to the form in which this server keeps it for itself. It is sealed if it is a `secret`.
    fn keep(&self, value: &Value, secret: bool) -> Content;

    /// Opens a value that this server kept for itself; `None` for a failure.
    ///
    /// # Errors
    /// As for [`Vault::open`].
    fn reveal(&self, content: &Content) -> Result<Option<Value>, String> {
        match content {
            Content::Value(value) => Ok(Some(value.clone())),
            Content::Sealed(sealed) => self.open(sealed).map(Some),
            Content::Failure(_) => Ok(None),
        }
    }

    /// Opens the value of `entry`; `None` for a failure.
    ///
    /// # Errors
    /// As for [`Vault::open_entry`].
    fn read(&self, entry: &str, content: &Content) -> Result<Option<Value>, String> {
        match content {
            Content::Value(value) => Ok(Some(value.clone())),
            Content::Sealed(sealed) => self.open_entry(entry, sealed).map(Some),
            Content::Failure(_) => Ok(None),
        }
    }
}

/// A vault without encryption, for tests and simulations. It keeps the guarantees of a real one: only a recipient can
/// open a secret, and the sealed text differs from the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainVault {
    own: String,
}

#[derive(Serialize, Deserialize)]
struct Wrapped {
    #[serde(rename = "for")]
    recipients: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    value: Value,
}

impl PlainVault {
    /// The vault of the recipient `own`.
    pub fn new(own: impl Into<String>) -> Self {
        Self { own: own.into() }
    }

    fn unwrap(&self, entry: Option<&str>, sealed: &str) -> Result<Value, String> {
        let wrapped: Wrapped = serde_json::from_str(sealed).map_err(|_| "it holds no value".to_owned())?;
        if !wrapped.recipients.contains(&self.own) {
            return Err(format!("it is sealed for {}, and not for `{}`", wrapped.recipients.join(", "), self.own));
        }
        if wrapped.entry.as_deref() == entry { Ok(wrapped.value) } else { Err(ELSEWHERE.to_owned()) }
    }
}

/// Why a secret that was sealed for another place is not opened.
pub const ELSEWHERE: &str = "the secret was encrypted for another place than this one";

impl Vault for PlainVault {
    fn open(&self, sealed: &str) -> Result<Value, String> {
        self.unwrap(None, sealed)
    }

    fn open_entry(&self, entry: &str, sealed: &str) -> Result<Value, String> {
        self.unwrap(Some(entry), sealed)
    }

    fn seal(&self, entry: &str, value: &Value, recipients: &[String]) -> Result<Content, String> {
        if recipients.is_empty() {
            return Err("a secret needs at least one reader".to_owned());
        }
        let (recipients, entry) = (recipients.to_vec(), Some(entry.to_owned()));
        Ok(Content::Sealed(wrapped(&Wrapped { recipients, entry, value: value.clone() })))
    }

    fn keep(&self, value: &Value, secret: bool) -> Content {
        if !secret {
            return Content::Value(value.clone());
        }
        let wrapping = Wrapped { recipients: vec![self.own.clone()], entry: None, value: value.clone() };
        Content::Sealed(wrapped(&wrapping))
    }
}

fn wrapped(wrapped: &Wrapped) -> String {
    serde_json::to_string(wrapped).expect("INVARIANT: names and values are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recipients_open_what_is_sealed() {
        let [a, b] = ["a", "b"].map(PlainVault::new);
        let secret = Value::from("hidden");
        let Content::Sealed(text) = a.seal("x/y/z", &secret, &["b".to_owned()]).unwrap() else { unreachable!() };
        assert_eq!(b.open_entry("x/y/z", &text), Ok(secret.clone()));
        assert_eq!(a.open_entry("x/y/z", &text), Err("it is sealed for b, and not for `a`".to_owned()));
        assert!(a.open_entry("x/y/z", "hidden").is_err());
        assert!(a.seal("x/y/z", &secret, &[]).is_err());
        // What was sealed for one place opens in no other.
        assert_eq!(b.open_entry("x/y/other", &text), Err(ELSEWHERE.to_owned()));
        assert_eq!(b.open(&text), Err(ELSEWHERE.to_owned()));
        let kept = a.keep(&secret, true);
        assert_eq!(a.reveal(&kept), Ok(Some(secret.clone())));
        assert_eq!(a.read("x/y/z", &kept), Err(ELSEWHERE.to_owned()));
        assert_eq!(a.keep(&secret, false), Content::Value(secret));
    }
}
