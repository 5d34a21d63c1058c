//! Envelopes: the signed data that servers publish.
//!
//! An entry, a status, a server's signals or its log are a JSON object whose last field is `signature`: Ed25519 over the path
//! and everything before that field. So a signature is valid for one entry of one stack, and for the revision that it
//! names, which in turn determines the type. A reader that does not know signatures reads the same object.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use wattle::model::Name;
use wattle_agent_core::layout::{Layout, ROOT};

use super::signed::{Authority, Signer};

const FIELD: &[u8] = b",\"signature\":\"";
const END: &[u8] = b"\"}";

/// The number of characters in a signature.
const LENGTH: usize = 86;

/// Why a node is not accepted as its server's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disowned {
    /// It is not signed.
    #[error("its server has not signed it")]
    Unsigned,
    /// It was signed by someone else or for another place, or has been changed.
    #[error("its server's signature does not match")]
    Forged,
    /// Its server has signed it for a revision that does not exist. It would count as newer than everything that the
    /// server is requested to write.
    #[error("it claims to be of a revision that its server has never seen")]
    Ahead,
    /// The key that verifies it is not known: the plan with this key is gone, or is not the operator's.
    #[error(
        "the operator has not signed the plan of its server, so its key is not known; `wattle seed apply --restore` \
         rewrites it"
    )]
    Unknown,
}

/// The only server, besides the operator, that may write to `path`. `None` if several servers may, or none.
pub(crate) fn writer_of(path: &str) -> Option<&str> {
    said_by(path).map(|(_, server)| server)
}

/// The stack and the server that own `path`. `None` if it belongs to no server.
pub(super) fn said_by(path: &str) -> Option<(&str, &str)> {
    let mut parts = path.strip_prefix(ROOT)?.strip_prefix('/')?.split('/');
    let (stack, top, server) = (parts.next()?, parts.next()?, parts.next()?);
    let below = parts.next()?;
    if top == "agents" && matches!(below, "log" | "signals") {
        return Some((stack, Layout::of_place(server).0));
    }
    matches!(top, "entries" | "status").then_some((stack, server))
}

/// The contents of the node at `path`, signed by `signer` in place of `former`. `None` if `former` has not signed
/// `data`.
pub(crate) fn resigned(former: &Authority, signer: &Signer, path: &str, data: &[u8]) -> Option<Vec<u8>> {
    verify([former], path, data).ok()?;
    let (open, _) = split(data)?;
    Some(signer.vouch(path, &[open, b"}"].concat()))
}

/// Builds the signed message. A path never contains a newline.
fn message(path: &str, open: &[u8]) -> Vec<u8> {
    [b"wattle-envelope/1\n", path.as_bytes(), b"\n", open, b"}"].concat()
}

impl Signer {
    /// Signs the JSON `object` for the node at `path`, which is an entry, a status, a server's signals or its log.
    ///
    /// # Panics
    /// `object` is not a JSON object.
    pub fn vouch(&self, path: &str, object: &[u8]) -> Vec<u8> {
        let open = object.strip_suffix(b"}").expect("INVARIANT: what servers say are JSON objects");
        let signature = URL_SAFE_NO_PAD.encode(self.signature(&message(path, open)));
        [open, FIELD, signature.as_bytes(), END].concat()
    }
}

/// Verifies that one of `keys` has signed the contents of the node at `path`.
///
/// # Errors
/// None of them has.
pub(super) fn verify<'k>(
    keys: impl IntoIterator<Item = &'k Authority>,
    path: &str,
    data: &[u8],
) -> Result<(), Disowned> {
    let (open, signature) = split(data).ok_or(Disowned::Unsigned)?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| Disowned::Forged)?;
    let message = message(path, open);
    let is_signed = keys.into_iter().any(|key| key.has_signed(&message, &signature));
    if is_signed { Ok(()) } else { Err(Disowned::Forged) }
}

/// Splits an object into the part before its signature, and the signature.
fn split(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = data.strip_suffix(END)?;
    let (rest, signature) = rest.split_at_checked(rest.len().checked_sub(LENGTH)?)?;
    Some((rest.strip_suffix(FIELD)?, signature))
}

/// The key among `keys` that has signed the contents of the node at `path`, in any form. `None` if none has.
pub(crate) fn signed_by<'n>(
    keys: impl IntoIterator<Item = (&'n Name, Authority)>,
    path: &str,
    data: &[u8],
) -> Option<&'n Name> {
    let is_signed = |key: &Authority| key.verify(path, data).is_ok() || verify([key], path, data).is_ok();
    keys.into_iter().find(|(_, key)| is_signed(key)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use wattle_agent_core::content::{Content, ENVELOPE, Written};
    use wattle_agent_core::revision::Revision;

    use super::*;

    const PATH: &str = "/wattle/shop/entries/db/part/out";

    fn object() -> Vec<u8> {
        let revision = Revision { space: Some("space".into()), number: 7 };
        Written::new(&revision, Content::Value("a \"signature\":\"".into())).to_bytes()
    }

    #[test]
    fn whoever_has_signed_it_in_whatever_form_is_known() {
        let [db, web] = [(); 2].map(|()| super::super::ServerKey::generate().signer());
        let names: [Name; 2] = ["db".into(), "web".into()];
        let keys = || names.iter().zip([db.authority(), web.authority()]);
        for data in [web.sign(PATH, b"{}"), web.vouch(PATH, &object())] {
            assert_eq!(signed_by(keys(), PATH, &data).map(|name| &**name), Some("web"));
            assert_eq!(signed_by(keys(), "/wattle/shop/servers/db/plan", &data), None, "elsewhere");
        }
        assert_eq!(signed_by(keys(), PATH, &object()), None);
        assert_eq!(writer_of(PATH), Some("db"));
        assert_eq!(writer_of("/wattle/shop/servers/db/plan"), None);
    }

    #[test]
    fn what_a_server_says_counts_in_its_place_and_as_it_was_said() {
        let (signer, other) = (Signer::of_server("a"), Signer::of_server("b"));
        let data = signer.vouch(PATH, &object());
        let key = signer.authority();
        assert_eq!(verify([&key], PATH, &data), Ok(()));
        assert_eq!(verify([&other.authority(), &key], PATH, &data), Ok(()));
        assert_eq!(data.len(), object().len() + ENVELOPE);
        let read = |data: &[u8]| serde_json::from_slice::<Written>(data).unwrap();
        assert_eq!(read(&data), read(&object()), "whoever knows no signatures reads the same");
        assert_eq!(verify([&other.authority()], PATH, &data), Err(Disowned::Forged));
        for place in ["/wattle/shop/entries/db/part/other", "/wattle/shop2/entries/db/part/out"] {
            assert_eq!(verify([&key], place, &data), Err(Disowned::Forged), "{place}");
        }
        for unsigned in [&object()[..], b"", b"{}", b"\"}"] {
            assert_eq!(verify([&key], PATH, unsigned), Err(Disowned::Unsigned));
        }
        for at in 0..data.len() {
            let mut changed = data.clone();
            changed[at] ^= 1;
            assert!(verify([&key], PATH, &changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_servers_key_signs_nothing_that_the_operators_does() {
        let secret = "AGE-SECRET-KEY";
        assert_ne!(Signer::of(secret).authority(), Signer::of_server(secret).authority());
    }

    #[test]
    fn who_says_what_stands_in_the_path() {
        for path in
            ["entries/db/part/out", "status/db/part", "agents/db/signals", "agents/db:2/signals", "agents/db/log"]
        {
            let path = format!("/wattle/shop/{path}");
            assert_eq!(said_by(&path), Some(("shop", "db")), "{path}");
        }
        let others = ["servers/db/plan", "agents/db/alive", "entries/db", "status", "revision", "recipes/a/b"];
        for path in others {
            assert_eq!(said_by(&format!("/wattle/shop/{path}")), None, "{path}");
        }
        assert_eq!(said_by("/elsewhere/shop/status/db/part"), None);
    }
}
