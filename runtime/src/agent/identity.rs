//! The identity of a server and the address of its data space: `identity.json`, which is written by the server's user
//! data.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Map;
use wattle::manners::read;
use wattle::model::{IndexMap, Name, Value, json};

use crate::space::{Credential, CredentialError};
use crate::store::{Address, AddressError, Authority};

/// The identity of a server and the address of its data space.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The stack.
    pub stack: Name,
    /// The server's name in the model.
    pub server: Name,
    /// The address of the data space.
    pub space: Address,
    /// The credential with which the server authenticates there.
    pub credential: Credential,
    /// The Neutron ID of each of the server's networks, by the network's name in the model.
    pub networks: IndexMap<Name, Name>,
    /// Values that only Heat knows, by `RESOURCE.ATTRIBUTE.PATH`.
    pub values: IndexMap<Name, Value>,
}

/// Why an identity is invalid.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The file cannot be read.
    #[error("cannot read the identity of this server, `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It is not a JSON object.
    #[error("`{}` is not the identity file of a wattle server: {reason}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, without quoting it: it holds the server's keys.
        reason: String,
    },
    /// A field is missing or malformed.
    #[error("`{field}` in the identity `{}`: {reason}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The field.
        field: &'static str,
        /// What is wrong, and how to fix it.
        reason: String,
    },
}

impl Identity {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read or is malformed.
    pub fn read(path: &Path) -> Result<Self, IdentityError> {
        let text = read(path).map_err(|source| IdentityError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// Parses `text`, the contents of `path`.
    ///
    /// # Errors
    /// The text is malformed.
    pub fn parse(text: &str, path: &Path) -> Result<Self, IdentityError> {
        let fields: Map<String, serde_json::Value> =
            json::read(text.as_bytes()).map_err(|reason| IdentityError::Json { path: path.to_owned(), reason })?;
        let fields = Fields { fields, path };
        let name = |field| {
            let text = fields.text(field)?;
            let wrong = text.is_empty() || text.contains('/');
            if wrong { Err(fields.refuse(field, format!("`{text}` is not a name"))) } else { Ok(Name::from(text)) }
        };
        let space = fields.space()?;
        let authorities = space.authorities().map_err(|error| fields.refuse("ca", error.to_string()))?;
        let credential = fields.credential()?.at(authorities);
        Ok(Self {
            stack: name("stack")?,
            server: name("server")?,
            space,
            credential,
            networks: fields.map("networks", "a map from networks to their identities")?,
            values: fields.map("values", "a map of values")?,
        })
    }
}

struct Fields<'a> {
    fields: Map<String, serde_json::Value>,
    path: &'a Path,
}

impl Fields<'_> {
    fn refuse(&self, field: &'static str, reason: String) -> IdentityError {
        IdentityError::Field { path: self.path.to_owned(), field, reason }
    }

    fn text(&self, field: &'static str) -> Result<&str, IdentityError> {
        match self.fields.get(field) {
            Some(serde_json::Value::String(text)) => Ok(text),
            // The message omits it, because it may be the secret.
            Some(other) => Err(self.refuse(field, format!("expected text, found {}", kind(other)))),
            None => Err(self.refuse(field, "it is missing: the user data that wattle emits writes it".to_owned())),
        }
    }

    /// The address of the data space, with the authority of its certificates.
    fn space(&self) -> Result<Address, IdentityError> {
        let space: Address = self.text("space")?.parse().map_err(|error: AddressError| {
            let help = match error {
                AddressError::Malformed { .. } => "",
                AddressError::InClear { .. } => {
                    "; use `zookeeper+tls://`, or add `?insecure` if the network between is trusted"
                }
            };
            self.refuse("space", format!("{error}{help}; it is Heat's parameter `wattle_space`"))
        })?;
        // Earlier templates do not have this field.
        let pem = match self.fields.get("ca") {
            None | Some(serde_json::Value::Null) => "",
            Some(_) => self.text("ca")?,
        };
        if pem.trim().is_empty() {
            return Ok(space);
        }
        let authority = Authority::Pem(pem.to_owned());
        if let Err(error) = authority.certificates() {
            return Err(self.refuse("ca", format!("{error}; it is Heat's parameter `wattle_space_ca`")));
        }
        space.trusting(authority).ok_or_else(|| {
            let reason =
                "a certificate authority is for `zookeeper+tls://`, and Heat's parameter `wattle_space` is not that";
            self.refuse("ca", reason.to_owned())
        })
    }

    fn credential(&self) -> Result<Credential, IdentityError> {
        // Heat passes nothing, or an empty text, to a server that its parameter does not name.
        let text = match self.fields.get("credential") {
            None | Some(serde_json::Value::Null) => "",
            Some(_) => self.text("credential")?,
        };
        text.parse().map_err(|error: CredentialError| self.refuse("credential", error.to_string()))
    }

    fn map<T: for<'de> Deserialize<'de>>(
        &self,
        field: &'static str,
        expected: &str,
    ) -> Result<IndexMap<Name, T>, IdentityError> {
        match self.fields.get(field) {
            None | Some(serde_json::Value::Null) => Ok(IndexMap::default()),
            Some(value) => IndexMap::deserialize(value)
                .map_err(|error| self.refuse(field, format!("expected {expected}: {error}"))),
        }
    }
}

/// Names the type of a value for messages.
fn kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "nothing",
        serde_json::Value::Bool(_) => "true or false",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "text",
        serde_json::Value::Array(_) => "a list",
        serde_json::Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Encryption;

    fn identity(change: &[(&str, serde_json::Value)]) -> Result<Identity, String> {
        let mut fields = serde_json::json!({
            "stack": "shop",
            "server": "db",
            "space": "zookeeper+tls://zk1:2281,zk2:2281",
            "credential": Credential::generate(crate::space::OperatorKey::generate().signer().authority()).expose(),
            "networks": {"backbone": "c3f2"},
            "values": {"volume.size": 10},
        });
        for (field, value) in change {
            fields[field] = value.clone();
        }
        Identity::parse(&fields.to_string(), Path::new("identity.json")).map_err(|error| error.to_string())
    }

    #[test]
    fn what_user_data_writes_is_read() {
        let identity = identity(&[]).unwrap();
        assert_eq!((&*identity.stack, &*identity.server), ("shop", "db"));
        assert_eq!(identity.networks["backbone"], "c3f2".into());
        assert_eq!(identity.values["volume.size"], Value::Integer(10));
    }

    #[test]
    fn a_server_trusts_the_authority_of_its_user_data() {
        let pem = "-----BEGIN CERTIFICATE-----\nBwcH\n-----END CERTIFICATE-----\n";
        let Address::ZooKeeper { encryption, .. } = identity(&[("ca", pem.into())]).unwrap().space else {
            panic!("no ZooKeeper")
        };
        assert_eq!(encryption, Encryption::Tls(Authority::Pem(pem.to_owned())));
        for none in [serde_json::Value::Null, "".into()] {
            let Address::ZooKeeper { encryption, .. } = identity(&[("ca", none)]).unwrap().space else {
                panic!("no ZooKeeper")
            };
            assert_eq!(encryption, Encryption::Tls(Authority::System));
        }
        let unused = identity(&[("ca", pem.into()), ("space", "zookeeper://127.0.0.1:2181".into())]).unwrap_err();
        assert!(unused.contains("is for `zookeeper+tls://`"), "{unused}");
        assert!(identity(&[("space", "zookeeper://zk1:2181?insecure".into())]).is_ok());
    }

    #[test]
    fn a_server_without_networks_and_values_has_neither_field() {
        let text = serde_json::json!({
            "stack": "shop", "server": "db", "space": "unix:/run/wattle.sock",
            "credential": Credential::generate(crate::space::OperatorKey::generate().signer().authority()).expose(),
        });
        let identity = Identity::parse(&text.to_string(), Path::new("identity.json")).unwrap();
        assert!(identity.networks.is_empty() && identity.values.is_empty());
    }

    #[test]
    fn what_is_wrong_is_reported_with_how_to_fix_it() {
        let why = |field: &str, value: serde_json::Value| identity(&[(field, value)]).unwrap_err();
        assert_eq!(
            why("credential", "".into()),
            "`credential` in the identity `identity.json`: the credential is empty: give Heat the file \
             `credentials.yaml` that `wattle seed apply` writes (`-e`)"
        );
        assert_eq!(why("credential", serde_json::Value::Null), why("credential", "".into()));
        assert!(why("credential", "wattle1:x:y".into()).contains("`wattle seed apply` did not make this credential"));
        assert!(why("space", "http://zk".into()).contains("Heat's parameter `wattle_space`"));
        let in_clear = why("space", "zookeeper://zk1:2181".into());
        assert!(in_clear.contains("`zk1` is another machine") && in_clear.contains("add `?insecure`"), "{in_clear}");
        assert!(why("ca", "nothing".into()).contains("Heat's parameter `wattle_space_ca`"));
        assert!(why("server", "a/b".into()).contains("`a/b` is not a name"));
        assert!(why("stack", 7.into()).contains("expected text, found a number"));
        assert!(why("networks", serde_json::json!({"backbone": 7})).contains("a map from networks"));
        assert!(
            Identity::parse("{", Path::new("identity.json")).unwrap_err().to_string().contains("not the identity file")
        );
    }
}
