//! Admission: a key that a server generates itself replaces the one in its credential.
//!
//! The server's agent announces its new identity in a node of its own, which the credential may write. The operator
//! adds it to the signed record of the server. From then on, the credential can reach that node and nothing else. An
//! announcement carries two signatures: one of the credential, over one of the new key. So neither write access to the
//! node nor the public part of another server's key is enough to forge one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_agent_core::time::Time;

use crate::store::Principal;

use super::keys::{Public, ServerKey};
use super::signed::{Authority, unverified};
use super::{parse_json, to_json};

/// The maximum size of an announcement, in bytes. Longer ones are not read.
const MOST: usize = 4096;

/// The record of a server, signed by its operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// The server's identity according to its credential.
    pub credential: Public,
    /// Whether the credential predates the sharing of a stack's login through the data space.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub former: bool,
    /// The identity that has replaced the credential. `None` while the server uses the credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted: Option<Admitted>,
}

/// An admitted key that a server has generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admitted {
    /// The server's identity with this key.
    pub identity: Public,
    /// When the server announced it.
    pub since: Time,
}

impl Registered {
    /// Whether the server's agent signs what it writes. Agents of earlier versions do not.
    pub fn signs(&self) -> bool {
        self.admitted.is_some() || !self.former
    }

    /// The server's present identity.
    pub fn identity(&self) -> &Public {
        self.admitted.as_ref().map_or(&self.credential, |admitted| &admitted.identity)
    }
}

/// The contents of a server's node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "nearly all are of the large variant")]
pub enum Record {
    /// The full record.
    Now(Registered),
    /// The principal to which rights were granted, as written by an earlier version.
    Former(Principal),
}

impl Record {
    /// The principal that has the server's rights.
    pub fn principal(&self) -> &Principal {
        match self {
            Self::Now(registered) => &registered.identity().principal,
            Self::Former(principal) => principal,
        }
    }

    /// The full record. `None` for one of an earlier version.
    pub fn registered(&self) -> Option<&Registered> {
        if let Self::Now(registered) = self { Some(registered) } else { None }
    }
}

/// A server's announcement of its new identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// The data space for which it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// The new identity.
    pub identity: Public,
    /// When it was made, by the server's own clock.
    pub at: Time,
    /// The signature of the server's previous own key, if this one is to replace it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endorsed: Option<String>,
}

/// The contents of an announcement's node, regardless of its writer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The data space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) space: Option<Name>,
}

impl Place {
    /// Reads a node. Empty if the contents are malformed.
    pub(crate) fn read(data: &[u8]) -> Self {
        if data.len() > MOST {
            return Self::default();
        }
        parse_json("", unverified(unverified(data))).ok().flatten().unwrap_or_default()
    }

    /// Whether a node names nothing but its data space, so that nothing is announced.
    pub(crate) fn is_empty(data: &[u8]) -> bool {
        data == Self::read(data).to_bytes()
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        to_json(self)
    }
}

impl Announcement {
    /// Returns the same announcement, endorsed by the server's previous key.
    #[must_use]
    pub fn endorsed_by(self, path: &str, before: &ServerKey) -> Self {
        let signature = URL_SAFE_NO_PAD.encode(before.signer().signature(&self.endorsement(path)));
        Self { endorsed: Some(signature), ..self }
    }

    /// Whether the key `before` has endorsed it.
    pub fn is_endorsed_by(&self, path: &str, before: &Authority) -> bool {
        let signature = self.endorsed.as_ref().and_then(|signature| URL_SAFE_NO_PAD.decode(signature).ok());
        signature.is_some_and(|signature| before.has_signed(&self.endorsement(path), &signature))
    }

    fn endorsement(&self, path: &str) -> Vec<u8> {
        [b"wattle-endorsement/1\n", path.as_bytes(), b"\n", &to_json(&(&self.space, &self.identity))].concat()
    }

    /// Returns the signed contents for the node at `path`.
    pub fn signed(&self, path: &str, own: &ServerKey, credential: &ServerKey) -> Vec<u8> {
        credential.signer().sign(path, &own.signer().sign(path, &to_json(self)))
    }

    /// Reads the node at `path`, where `server` of `stack` announces itself. `None` if it contains no announcement made
    /// with the server's credential.
    pub fn read(path: &str, data: &[u8], (stack, server): (&str, &str), credential: &Authority) -> Option<Self> {
        if data.len() > MOST {
            return None;
        }
        let inner = credential.verify(path, data).ok()?;
        let said: Self = parse_json(path, unverified(inner)).ok().flatten()?;
        said.identity.key.verify(path, inner).ok()?;
        said.identity.fits(stack, server).then_some(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/wattle/shop/admission/db";

    #[test]
    fn what_is_announced_takes_both_keys_and_its_place() {
        let [credential, own, other] = [(); 3].map(|()| ServerKey::generate());
        let announced = |own: &ServerKey, server| Announcement {
            space: Some("2026".into()),
            identity: own.public("shop", server),
            at: Time::EPOCH,
            endorsed: None,
        };
        let by = credential.signer().authority();
        let read = |data: &[u8]| Announcement::read(PATH, data, ("shop", "db"), &by);
        let said = announced(&own, "db");
        let data = said.signed(PATH, &own, &credential);
        assert_eq!(read(&data), Some(said.clone()));
        assert_eq!(Place::read(&data).space.as_deref(), Some("2026"));
        assert_eq!(read(&said.signed(PATH, &own, &other)), None, "without the credential");
        assert_eq!(read(&said.signed(PATH, &other, &credential)), None, "without the key");
        assert_eq!(read(&said.signed("/wattle/shop/admission/web", &own, &credential)), None, "elsewhere");
        assert_eq!(read(&announced(&own, "web").signed(PATH, &own, &credential)), None, "of another server");
        assert_eq!(read(&credential.signer().sign(PATH, &vec![b' '; MOST])), None, "too much");
        assert_eq!(read(b"{"), None);
        let renewed = announced(&own, "db").endorsed_by(PATH, &other);
        let by_other = other.signer().authority();
        assert!(
            renewed.is_endorsed_by(PATH, &by_other)
                && read(&renewed.signed(PATH, &own, &credential)) == Some(renewed.clone())
        );
        assert!(!renewed.is_endorsed_by(PATH, &by) && !said.is_endorsed_by(PATH, &by_other), "by another, by nobody");
        assert!(!renewed.is_endorsed_by("/wattle/shop/admission/web", &by_other), "for another place");
        let moved = Announcement { identity: credential.public("shop", "db"), ..renewed };
        assert!(!moved.is_endorsed_by(PATH, &by_other), "for another key");
        assert_eq!(Place::read(b"{").space, None);
        assert_eq!(Place::read(&Place { space: Some("2026".into()) }.to_bytes()).space.as_deref(), Some("2026"));
    }

    #[test]
    fn what_a_former_version_wrote_is_read() {
        let former: Record = serde_json::from_str(r#""shop/db:x=""#).unwrap();
        assert_eq!(former.principal().as_str(), "shop/db:x=");
        assert!(former.registered().is_none());
        let [credential, own] = [(); 2].map(|()| ServerKey::generate().public("shop", "db"));
        let mut now = Registered { credential: credential.clone(), former: false, admitted: None };
        assert_eq!(now.identity(), &credential);
        now.admitted = Some(Admitted { identity: own.clone(), since: Time::EPOCH });
        let read: Record = serde_json::from_slice(&to_json(&Record::Now(now))).unwrap();
        assert_eq!(read.principal(), &own.principal);
    }
}
