//! A short code by which people recognize a key that a server has generated.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The hash of a key, as people compare it: `1a2b-3c4d-5e6f-7a8b`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 8]);

/// The text is not a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint has 16 hexadecimal digits: 1a2b-3c4d-5e6f-7a8b")]
pub struct NoFingerprint;

impl Fingerprint {
    /// The fingerprint of a public key.
    pub(super) fn of(key: &[u8]) -> Self {
        let digest = Sha256::new().chain_update(b"wattle: fingerprint of a key\n").chain_update(key).finalize();
        Self(std::array::from_fn(|at| digest[at]))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> = self.0.chunks(2).map(|two| format!("{:02x}{:02x}", two[0], two[1])).collect();
        f.write_str(&groups.join("-"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = NoFingerprint;

    fn from_str(text: &str) -> Result<Self, NoFingerprint> {
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        let is_whole = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u64::from_str_radix(&digits, 16).ok().filter(|_| is_whole);
        number.map(|number| Self(number.to_be_bytes())).ok_or(NoFingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_shown() {
        let one = Fingerprint::of(b"a key");
        let shown = one.to_string();
        assert_eq!((shown.len(), shown.matches('-').count()), (19, 3), "{shown}");
        assert_eq!(shown.parse(), Ok(one));
        assert_eq!(shown.replace('-', "").to_uppercase().parse(), Ok(one));
        assert_ne!(one, Fingerprint::of(b"another key"));
        for text in ["", "1a2b", &shown[1..], "1a2b-3c4d-5e6f-7a8g", "+a2b3c4d5e6f7a8b", "1a2b-3c4d-5e6f-7a8b-9"] {
            assert_eq!(text.parse::<Fingerprint>(), Err(NoFingerprint), "{text}");
        }
    }
}
