//! Keeps trust when an operator's key is replaced: each key endorses the next one.
//!
//! Servers learn from their user data which key to trust, and user data cannot change without replacing the servers. So
//! anything signed with a later key carries the chain of endorsements from the former keys. Anyone who trusts one of
//! them can follow it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::signed::{Authority, Signer};

/// The maximum number of previous keys. Servers that trust an even earlier one need new user data.
pub(crate) const MOST: usize = 16;

/// The maximum number of bytes of a link in the text, with its separator.
pub(super) const LINK: usize = 43 + 1 + 86 + 1;

/// The previous keys, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Succession(Vec<Link>);

/// A key, and its endorsement of the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    from: Authority,
    signature: Vec<u8>,
}

fn message(from: &Authority, to: &Authority) -> Vec<u8> {
    format!("wattle-succession/1\n{from}\n{to}").into_bytes()
}

impl Succession {
    /// Whether there is no previous key.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `trusted` has endorsed `last`, directly or through others.
    pub(super) fn leads(&self, trusted: &Authority, last: &Authority) -> bool {
        let Some(at) = self.0.iter().position(|link| link.from == *trusted) else { return false };
        let next = self.0[at + 1..].iter().map(|link| &link.from).chain([last]);
        self.0[at..].iter().zip(next).all(|(link, to)| link.from.has_signed(&message(&link.from, to), &link.signature))
    }

    /// The succession of `to`, which follows the key `from` with this succession.
    pub(super) fn then(&self, from: &Signer, to: &Authority) -> Self {
        let authority = from.authority();
        let signature = from.signature(&message(&authority, to)).as_ref().to_vec();
        let all = self.0.iter().cloned().chain([Link { from: authority, signature }]);
        let mut all: Vec<Link> = all.collect();
        all.drain(..all.len().saturating_sub(MOST));
        Self(all)
    }

    /// The succession as one line.
    pub(crate) fn to_text(&self) -> String {
        let link = |link: &Link| format!("{}.{}", link.from, URL_SAFE_NO_PAD.encode(&link.signature));
        self.0.iter().map(link).collect::<Vec<_>>().join(" ")
    }

    /// Parses such a line. `None` if it is malformed.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.len() > MOST * LINK {
            return None;
        }
        let link = |text: &str| {
            let (from, signature) = text.split_once('.')?;
            Some(Link { from: from.parse().ok()?, signature: URL_SAFE_NO_PAD.decode(signature).ok()? })
        };
        text.split_ascii_whitespace().map(link).collect::<Option<Vec<_>>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_believed_by_the_word_of_those_before() {
        let signers: Vec<Signer> = (0..4).map(|n| Signer::of(&n.to_string())).collect();
        let keys: Vec<Authority> = signers.iter().map(Signer::authority).collect();
        let mut way = Succession::default();
        for (from, to) in signers.iter().zip(&keys[1..]) {
            way = way.then(from, to);
        }
        let read = Succession::read(&way.to_text()).unwrap();
        assert_eq!(read, way);
        for before in &keys[..3] {
            assert!(read.leads(before, &keys[3]));
        }
        assert!(!read.leads(&keys[3], &keys[3]), "it needs no way");
        let stranger = Signer::of("stranger");
        assert!(!read.leads(&stranger.authority(), &keys[3]));
        assert!(!read.leads(&keys[0], &stranger.authority()), "the last one gave its word for another");
        let mut torn = read.clone();
        torn.0.remove(1);
        assert!(!torn.leads(&keys[0], &keys[3]));
        assert!(torn.leads(&keys[2], &keys[3]));
        // A stranger who appends their own key is not trusted.
        let forged = Succession::default().then(&stranger, &keys[1]);
        let mut forged = Succession([read.0[0].clone(), forged.0[0].clone()].into());
        assert!(!forged.leads(&keys[0], &keys[1]));
        forged.0[1].from = keys[0];
        assert!(!forged.leads(&keys[0], &keys[1]));
    }

    #[test]
    fn it_is_as_long_as_nodes_have_room_for() {
        let mut way = Succession::default();
        let signers: Vec<Signer> = (0..MOST + 3).map(|n| Signer::of(&n.to_string())).collect();
        for pair in signers.windows(2) {
            way = way.then(&pair[0], &pair[1].authority());
        }
        assert_eq!(way.0.len(), MOST);
        assert!(way.to_text().len() <= MOST * LINK);
        let last = signers.last().unwrap().authority();
        assert!(way.leads(&signers[3].authority(), &last) && !way.leads(&signers[1].authority(), &last));
        assert_eq!(Succession::read(&format!("{} {}", way.to_text(), way.to_text())), None);
        for text in ["x", "x.y", ".", "AAAA.AAAA"] {
            assert_eq!(Succession::read(text), None, "{text}");
        }
    }
}
