//! Nodes that the operator has signed, so that readers know their author and the place for which they are valid.
//!
//! Such a node begins with a line `wattle-signed/1 SIGNATURE`, followed by its contents. The signature also covers the
//! path, so that what was signed for one server or stack is invalid in the place of another. If the key has
//! predecessors, the line is `wattle-signed/2 SIGNATURE KEY SUCCESSION`. Only this module determines which nodes are
//! signed.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use wattle_agent_core::layout::ROOT;

use super::CredentialError;
use super::fingerprint::Fingerprint;
use super::succession::{self, Succession};

/// The beginning of a signed node's first line.
const BEGIN: &[u8] = b"wattle-signed/1 ";

/// The beginning of the line if the key has predecessors.
const SUCCEEDED: &[u8] = b"wattle-signed/2 ";

/// The maximum number of bytes that a signature adds to a node.
pub(crate) const OVERHEAD: usize = BEGIN.len() + 88 + 1 + 43 + 1 + succession::MOST * succession::LINK;

/// Signs for the operator, or for a server.
pub struct Signer {
    pair: Ed25519KeyPair,
    /// The previous keys.
    before: Succession,
}

/// The public half of a [`Signer`], which verifies its signatures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Authority([u8; 32]);

/// Why a node is not accepted as the operator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSigned {
    /// It is not signed.
    #[error("it is not signed")]
    Unsigned,
    /// It was signed by someone else or for another place, or has been changed.
    #[error("the operator's signature does not match")]
    Forged,
}

/// Whether the operator signs the node at `path`: what agents act on, what rights are computed from, and the records
/// about infrastructure.
pub(crate) fn is_signed(path: &str) -> bool {
    let Some(rest) = path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')) else { return path == ROOT };
    let parts: Vec<&str> = rest.split('/').collect();
    matches!(
        parts.as_slice(),
        [_, "revision" | "servers" | "exports" | "deployed" | "infrastructure"]
            | [_, "servers" | "exports" | "importers" | "infrastructure", _]
            | [_, "servers", _, "plan" | "membership" | "goal"]
            | [_, "infrastructure", "rows" | "targets", _]
            | [_, "infrastructure", "targets", _, _]
    )
}

/// The contents of a node, regardless of its writer.
pub(crate) fn unverified(data: &[u8]) -> &[u8] {
    split(data).map_or(data, |head| head.held)
}

/// The parts of a signed node.
struct Parts<'d> {
    signature: &'d [u8],
    /// The key and its succession, if it has predecessors.
    way: Option<&'d [u8]>,
    held: &'d [u8],
}

fn split(data: &[u8]) -> Option<Parts<'_>> {
    let (rest, has_way) = match data.strip_prefix(BEGIN) {
        Some(rest) => (rest, false),
        None => (data.strip_prefix(SUCCEEDED)?, true),
    };
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (line, held) = (&rest[..end], &rest[end + 1..]);
    if !has_way {
        return Some(Parts { signature: line, way: None, held });
    }
    let space = line.iter().position(|byte| *byte == b' ')?;
    Some(Parts { signature: &line[..space], way: Some(&line[space + 1..]), held })
}

/// Builds the signed message. A path never contains a newline.
fn message(path: &str, held: &[u8]) -> Vec<u8> {
    [b"wattle-signed/1\n", path.as_bytes(), b"\n", held].concat()
}

/// Derives a secret for one purpose. Neither the original nor those for other purposes can be derived from it.
pub(super) fn derived(secret: &str, purpose: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    let salt = Salt::new(HKDF_SHA256, b"wattle");
    let filled = salt
        .extract(secret.as_bytes())
        .expand(&[purpose.as_bytes()], HKDF_SHA256)
        .and_then(|derived| derived.fill(&mut bytes));
    filled.expect("INVARIANT: a hash is as long as a key");
    bytes
}

impl Signer {
    /// The signer for an operator's secret.
    pub(super) fn of(secret: &str) -> Self {
        Self::with(&derived(secret, "what the operator signs"))
    }

    /// The signer for a server's secret.
    pub(super) fn of_server(secret: &str) -> Self {
        Self::with(&derived(secret, "what a server signs"))
    }

    fn with(seed: &[u8; 32]) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).expect("INVARIANT: any 32 bytes are a key");
        Self { pair, before: Succession::default() }
    }

    /// The same signer as the successor of others.
    pub(super) fn after(self, before: Succession) -> Self {
        Self { before, ..self }
    }

    /// The public half.
    ///
    /// # Panics
    /// Never.
    pub fn authority(&self) -> Authority {
        let key = self.pair.public_key().as_ref();
        Authority(key.try_into().expect("INVARIANT: Ed25519's public keys have 32 bytes"))
    }

    /// Signs a message.
    pub(super) fn signature(&self, message: &[u8]) -> impl AsRef<[u8]> {
        self.pair.sign(message)
    }

    /// Signs `held` as the contents of the node at `path`.
    pub fn sign(&self, path: &str, held: &[u8]) -> Vec<u8> {
        let signature = STANDARD.encode(self.signature(&message(path, held)));
        if self.before.is_empty() {
            return [BEGIN, signature.as_bytes(), b"\n", held].concat();
        }
        let line = format!("{signature} {} {}\n", self.authority(), self.before.to_text());
        [SUCCEEDED, line.as_bytes(), held].concat()
    }
}

impl Authority {
    /// The fingerprint by which people compare it.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }

    /// Whether this authority has signed a message with this signature.
    pub(super) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message, signature).is_ok()
    }

    /// Verifies `data` of the node at `path`, and returns its contents.
    ///
    /// # Errors
    /// The operator has not signed it.
    pub fn verify<'d>(&self, path: &str, data: &'d [u8]) -> Result<&'d [u8], NotSigned> {
        let Parts { signature, held, .. } = split(data).ok_or(NotSigned::Unsigned)?;
        let signature = STANDARD.decode(signature).map_err(|_| NotSigned::Forged)?;
        if self.has_signed(&message(path, held), &signature) { Ok(held) } else { Err(NotSigned::Forged) }
    }

    /// Like [`Self::verify`], but also trusts the successors of this key. Also returns the key that has signed.
    ///
    /// # Errors
    /// The operator has not signed it.
    pub fn follow<'d>(&self, path: &str, data: &'d [u8]) -> Result<(Self, &'d [u8]), NotSigned> {
        let parts = split(data).ok_or(NotSigned::Unsigned)?;
        let later = parts.way.and_then(|way| {
            let (last, way) = str::from_utf8(way).ok()?.split_once(' ')?;
            let (last, way): (Self, _) = (last.parse().ok()?, Succession::read(way)?);
            way.leads(self, &last).then_some(last)
        });
        let last = later.unwrap_or(*self);
        last.verify(path, data).map(|held| (last, held))
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authority({self})")
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.authority())
    }
}

impl From<Authority> for String {
    fn from(authority: Authority) -> Self {
        authority.to_string()
    }
}

impl TryFrom<String> for Authority {
    type Error = CredentialError;

    fn try_from(text: String) -> Result<Self, CredentialError> {
        text.parse()
    }
}

impl FromStr for Authority {
    type Err = CredentialError;

    fn from_str(text: &str) -> Result<Self, CredentialError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| CredentialError::Malformed)?;
        bytes.try_into().map(Self).map_err(|_| CredentialError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/wattle/shop/revision";

    #[test]
    fn what_is_signed_counts_where_it_was_signed_for_and_as_it_was() {
        let (signer, other) = (Signer::of("a"), Signer::of("b"));
        let (authority, data) = (signer.authority(), signer.sign(PATH, b"{}"));
        assert_eq!(authority.verify(PATH, &data), Ok(&b"{}"[..]));
        assert_eq!(unverified(&data), b"{}");
        assert!(data.len() <= 2 + OVERHEAD);
        assert_eq!(authority.verify("/wattle/shop2/revision", &data), Err(NotSigned::Forged));
        assert_eq!(other.authority().verify(PATH, &data), Err(NotSigned::Forged));
        assert_eq!(authority.verify(PATH, b"{}"), Err(NotSigned::Unsigned));
        assert_eq!(authority.verify(PATH, b""), Err(NotSigned::Unsigned));
        for at in 0..data.len() {
            let mut changed = data.clone();
            changed[at] ^= 1;
            assert!(authority.verify(PATH, &changed).is_err(), "byte {at}");
        }
        assert!(authority.verify(PATH, &data[..data.len() - 1]).is_err());
    }

    #[test]
    fn whoever_believes_a_key_believes_the_one_that_came_after_it() {
        let (first, second, other) = (Signer::of("a"), Signer::of("b"), Signer::of("c"));
        let way = Succession::default().then(&first, &second.authority());
        let (old, new, second) = (first.authority(), second.authority(), second.after(way.clone()));
        let data = second.sign(PATH, b"{}");
        assert_eq!(unverified(&data), b"{}");
        assert!(data.len() <= 2 + OVERHEAD);
        assert_eq!(new.verify(PATH, &data), Ok(&b"{}"[..]));
        assert_eq!(new.follow(PATH, &data), Ok((new, &b"{}"[..])));
        assert_eq!(old.follow(PATH, &data), Ok((new, &b"{}"[..])));
        assert_eq!(old.verify(PATH, &data), Err(NotSigned::Forged));
        assert_eq!(other.authority().follow(PATH, &data), Err(NotSigned::Forged));
        // The way does not lead back.
        let former = first.sign(PATH, b"{}");
        assert_eq!(old.follow(PATH, &former), Ok((old, &b"{}"[..])));
        assert_eq!(new.follow(PATH, &former), Err(NotSigned::Forged));
        // The endorsement was for another key.
        let forged = other.after(way).sign(PATH, b"{}");
        assert_eq!(old.follow(PATH, &forged), Err(NotSigned::Forged));
        for at in 0..data.len() {
            let mut changed = data.clone();
            changed[at] ^= 1;
            assert!(old.follow(PATH, &changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn what_signs_is_the_same_for_the_same_secret() {
        assert_eq!(Signer::of("a").authority(), Signer::of("a").authority());
        assert_ne!(Signer::of("a").authority(), Signer::of("b").authority());
        let authority = Signer::of("a").authority();
        assert_eq!(authority.to_string().parse(), Ok(authority));
        assert!(!authority.to_string().contains(':'), "it is a part of a credential");
        for text in ["", "AAAA", "\u{e9}"] {
            assert_eq!(text.parse::<Authority>(), Err(CredentialError::Malformed));
        }
    }

    #[test]
    fn what_agents_obey_is_signed() {
        for path in [
            "revision",
            "servers",
            "servers/db",
            "servers/db/plan",
            "servers/db/membership",
            "servers/db/goal",
            "exports",
            "exports/url",
            "importers/web",
            "deployed",
            "infrastructure",
            "infrastructure/goal",
            "infrastructure/rows/7",
            "infrastructure/targets/5f",
            "infrastructure/targets/5f/0000",
        ] {
            assert!(is_signed(&format!("/wattle/shop/{path}")), "{path}");
        }
        for path in [
            "revision/2026",
            "agents/db",
            "status/db/part",
            "entries/db/part/out",
            "recipes/sha256:1",
            "importers",
            "admission/db",
        ] {
            assert!(!is_signed(&format!("/wattle/shop/{path}")), "{path}");
        }
        assert!(is_signed("/wattle") && !is_signed("/wattle/revision") && !is_signed("/other/shop/revision"));
    }
}
