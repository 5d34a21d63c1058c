//! Opens and seals a server's secrets with its own key.

use wattle::model::Value;
use wattle_agent_core::content::Content;
use wattle_agent_core::vault::Vault;

use super::seal::{Place, open, open_entry, seal, seal_entry};
use super::{Credential, Keyring, Opener};

/// The vault of a server that has a credential. Secrets are encrypted with age.
#[derive(Debug)]
pub struct ServerVault {
    stack: String,
    own: Keyring,
    credential: Opener,
}

impl ServerVault {
    /// Creates the vault of the server of `stack` with this `credential` and keys of its `own`. It opens what was
    /// encrypted for any of them, and keeps the server's secrets for the newest of its own keys.
    pub fn new(stack: &str, own: Keyring, credential: &Credential) -> Self {
        Self { stack: stack.to_owned(), own, credential: credential.opener() }
    }

    fn opener(&self) -> Opener {
        self.own.opener().or(&self.credential)
    }
}

impl Vault for ServerVault {
    fn open(&self, sealed: &str) -> Result<Value, String> {
        open(sealed, &self.opener()).map_err(|error| error.to_string())
    }

    fn open_entry(&self, entry: &str, sealed: &str) -> Result<Value, String> {
        open_entry(sealed, &Place { stack: &self.stack, entry }, &self.opener()).map_err(|error| error.to_string())
    }

    fn seal(&self, entry: &str, value: &Value, recipients: &[String]) -> Result<Content, String> {
        let recipients = recipients.iter().map(String::as_str);
        let place = Place { stack: &self.stack, entry };
        seal_entry(value, &place, recipients).map(Content::Sealed).map_err(|error| error.to_string())
    }

    fn keep(&self, value: &Value, secret: bool) -> Content {
        if !secret {
            return Content::Value(value.clone());
        }
        Content::Sealed(
            seal(value, [&*self.own.newest().recipient()])
                .expect("INVARIANT: a server's own key is one that age knows"),
        )
    }
}
