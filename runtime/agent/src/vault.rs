//! Secrets: how they are opened and sealed is not the rules' business.

use std::fmt;

use serde::{Deserialize, Serialize};
use wattle_model::Value;

use crate::content::Content;

/// What opens secrets for one server, and seals them for whoever reads them.
///
/// Errors are the reason, to stand in a message behind a colon.
pub trait Vault {
    /// The value in a sealed text.
    ///
    /// # Errors
    /// When it was not sealed for this server, or holds no value.
    fn open(&self, sealed: &str) -> Result<Value, String>;

    /// `value`, sealed for each of `recipients`.
    ///
    /// # Errors
    /// When there are none, or one of them is not a recipient.
    fn seal(&self, value: &Value, recipients: &[String]) -> Result<Content, String>;

    /// `value` as this server keeps it for itself: sealed if it is a `secret`.
    fn keep(&self, value: &Value, secret: bool) -> Content;

    /// The value that is in `content`; none in a failure.
    ///
    /// # Errors
    /// As [`Vault::open`].
    fn reveal(&self, content: &Content) -> Result<Option<Value>, String> {
        match content {
            Content::Value(value) => Ok(Some(value.clone())),
            Content::Sealed(sealed) => self.open(sealed).map(Some),
            Content::Failure(_) => Ok(None),
        }
    }
}

/// A vault without encryption, for tests and simulations. It keeps the promises of one: only a recipient opens, and a
/// sealed text is not the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainVault {
    own: String,
}

#[derive(Serialize, Deserialize)]
struct Wrapped {
    #[serde(rename = "for")]
    recipients: Vec<String>,
    value: Value,
}

impl PlainVault {
    /// The vault of whoever is the recipient `own`.
    pub fn new(own: impl Into<String>) -> Self {
        Self { own: own.into() }
    }
}

impl Vault for PlainVault {
    fn open(&self, sealed: &str) -> Result<Value, String> {
        let wrapped: Wrapped = serde_json::from_str(sealed).map_err(|error| display(&error))?;
        if wrapped.recipients.contains(&self.own) {
            Ok(wrapped.value)
        } else {
            Err(format!("it is sealed for {}, and not for `{}`", wrapped.recipients.join(", "), self.own))
        }
    }

    fn seal(&self, value: &Value, recipients: &[String]) -> Result<Content, String> {
        if recipients.is_empty() {
            return Err("a secret needs at least one reader".to_owned());
        }
        let wrapped = Wrapped { recipients: recipients.to_vec(), value: value.clone() };
        serde_json::to_string(&wrapped).map(Content::Sealed).map_err(|error| display(&error))
    }

    fn keep(&self, value: &Value, secret: bool) -> Content {
        if !secret {
            return Content::Value(value.clone());
        }
        let own = std::slice::from_ref(&self.own);
        self.seal(value, own).expect("INVARIANT: a value is JSON, and there is a recipient")
    }
}

fn display(error: &dyn fmt::Display) -> String {
    format!("it holds no value: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recipients_open_what_is_sealed() {
        let [a, b] = ["a", "b"].map(PlainVault::new);
        let secret = Value::from("hidden");
        let Content::Sealed(text) = a.seal(&secret, &["b".to_owned()]).unwrap() else { unreachable!() };
        assert_eq!(b.open(&text), Ok(secret.clone()));
        assert_eq!(a.open(&text), Err("it is sealed for b, and not for `a`".to_owned()));
        assert!(a.open("hidden").is_err());
        assert!(a.seal(&secret, &[]).is_err());
        assert_eq!(a.reveal(&a.keep(&secret, true)), Ok(Some(secret.clone())));
        assert_eq!(a.keep(&secret, false), Content::Value(secret));
    }
}
