//! Digests for comparing properties. They are keyed, so that no one can guess a password from a stored one.

use sha2::{Digest as _, Sha256};
use wattle_model::{Name, Value};

/// The key of a stack's digests and derived secrets.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) [u8; 32]);

/// The block size of SHA-256 in bytes.
const BLOCK: usize = 64;

/// The length of a digest in characters.
const LENGTH: usize = 32;

impl Key {
    /// HMAC-SHA256 of several parts. Their boundaries are unambiguous.
    pub(crate) fn of(&self, parts: &[&str]) -> [u8; 32] {
        let pad = |with: u8| {
            let mut block = [with; BLOCK];
            for (byte, key) in block.iter_mut().zip(self.0) {
                *byte ^= key;
            }
            block
        };
        let mut inner = Sha256::new().chain_update(pad(0x36));
        for part in parts {
            inner.update((part.len() as u64).to_be_bytes());
            inner.update(part);
        }
        Sha256::new().chain_update(pad(0x5c)).chain_update(inner.finalize()).finalize().into()
    }

    /// A digest of several parts, in hexadecimal digits.
    pub(crate) fn digest(&self, parts: &[&str]) -> Name {
        let digits: String = self.of(parts).iter().map(|byte| format!("{byte:02x}")).collect();
        digits[..LENGTH].into()
    }
}

/// JSON that is equal for values that Heat considers equal: keys are in order, and whole numbers are written as such.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Map(items) => {
            let mut items: Vec<_> = items.iter().collect();
            items.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (at, (name, item)) in items.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(&Value::Str(name.clone()), out);
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer within the bounds")]
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e37 => {
            out.push_str(&(*number as i128).to_string());
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        serde_json::from_str(json).expect("JSON")
    }

    /// Test case 2 of RFC 4231 has a short key, padded with zeros, as ours would be.
    #[test]
    fn it_is_hmac() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let text = "what do ya want for nothing?";
        // Each part is preceded by its length. The expected digest was computed with Python's `hmac`.
        let digest = Key(key).digest(&[text]);
        assert_eq!(&*digest, "f80838b2e599dfbe7a38f7a7a1780994");
    }

    #[test]
    fn parts_are_kept_apart() {
        let key = Key([7; 32]);
        assert_ne!(key.digest(&["ab", "c"]), key.digest(&["a", "bc"]));
        assert_ne!(key.digest(&["a"]), Key([8; 32]).digest(&["a"]));
        assert_eq!(key.digest(&["a"]).len(), LENGTH);
    }

    #[test]
    fn what_is_equal_to_heat_is_equal() {
        assert_eq!(canonical(&value(r#"{"b": 1.0, "a": ["x", null]}"#)), r#"{"a":["x",null],"b":1}"#);
        assert_eq!(canonical(&value(r#"[1.5, true, "é\n"]"#)), r#"[1.5,true,"é\n"]"#);
    }
}
