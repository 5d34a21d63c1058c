//! Secret values, which are encrypted for their readers before they leave the writer (age, X25519).

use std::io::{self, BufRead, Read, Write as _};

use age::x25519::Recipient;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wattle::model::Value;
use wattle_agent_core::vault::ELSEWHERE;

use super::Opener;

/// Why a value was not encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// It has no readers.
    #[error("a secret needs at least one reader")]
    NoReader,
    /// A recipient is not valid.
    #[error("`{recipient}` is not a recipient that age knows")]
    Recipient {
        /// The recipient.
        recipient: String,
    },
    /// It was not encrypted for this server, or has been damaged.
    #[error("the secret cannot be decrypted here: {0}")]
    Decrypt(String),
    /// It belongs to another entry, or was created by an earlier version, which did not bind it to an entry.
    #[error("{ELSEWHERE}")]
    Elsewhere,
    /// The decrypted text is not a value. It is not shown.
    #[error("the secret holds no value")]
    Value,
}

/// The beginning of an entry's secret before encryption. No JSON begins like this.
const BEGIN: &[u8] = b"wattle-secret/2\n";

/// The entry to which a secret belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The stack.
    pub stack: &'a str,
    /// `SERVER/COMPONENT/OUTPUT`.
    pub entry: &'a str,
}

impl Place<'_> {
    /// The text before a secret. No name contains a newline.
    fn head(&self) -> Vec<u8> {
        [BEGIN, self.stack.as_bytes(), b"\n", self.entry.as_bytes(), b"\n"].concat()
    }
}

/// Encrypts `value` for each of `recipients` (age's public keys), bound to `place`: it cannot be opened in any other.
///
/// # Errors
/// As for [`seal`].
pub fn seal_entry<'a>(
    value: &Value,
    place: &Place<'_>,
    recipients: impl IntoIterator<Item = &'a str>,
) -> Result<String, SealError> {
    encrypt(&[place.head(), json(value)].concat(), recipients)
}

/// Decrypts what [`seal_entry`] encrypted for the same place.
///
/// # Errors
/// As for [`open`], and [`SealError::Elsewhere`].
pub fn open_entry(sealed: &str, place: &Place<'_>, opener: &Opener) -> Result<Value, SealError> {
    let text = decrypt(sealed, opener)?;
    let value = text.strip_prefix(&*place.head()).ok_or(SealError::Elsewhere)?;
    serde_json::from_slice(value).map_err(|_| SealError::Value)
}

/// Encrypts `value` for each of `recipients` (age's public keys).
///
/// # Errors
/// [`SealError::NoReader`], [`SealError::Recipient`].
pub fn seal<'a>(value: &Value, recipients: impl IntoIterator<Item = &'a str>) -> Result<String, SealError> {
    encrypt(&json(value), recipients)
}

/// Decrypts what [`seal`] encrypted.
///
/// # Errors
/// [`SealError::Decrypt`], [`SealError::Value`].
pub fn open(sealed: &str, opener: &Opener) -> Result<Value, SealError> {
    serde_json::from_slice(&decrypt(sealed, opener)?).map_err(|_| SealError::Value)
}

fn json(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("INVARIANT: a value is JSON")
}

/// Encrypts `text` for each of `recipients`.
///
/// # Errors
/// As for [`seal`].
pub(super) fn encrypt<'a>(text: &[u8], recipients: impl IntoIterator<Item = &'a str>) -> Result<String, SealError> {
    let parse = |text: &str| text.parse().map_err(|_| SealError::Recipient { recipient: text.to_owned() });
    let recipients = recipients.into_iter().map(parse).collect::<Result<Vec<Recipient>, _>>()?;
    let recipients = recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(recipients).map_err(|_| SealError::NoReader)?;
    let mut sealed = Vec::new();
    let written = encryptor.wrap_output(&mut sealed).and_then(|mut out| {
        out.write_all(text)?;
        out.finish()
    });
    written.map_err(|error| SealError::Decrypt(error.to_string()))?;
    Ok(STANDARD.encode(sealed))
}

/// Encrypted data whose header age receives in one piece. age parses the header from the beginning for each piece that
/// it receives. With a header of 1 MB, as for many readers, that would take hours.
struct AtOnce<'a>(&'a [u8]);

impl AtOnce<'_> {
    /// The length of the header, up to and including the line with its checksum. The length of everything if there is
    /// none.
    fn header(&self) -> usize {
        let last = self.0.windows(LAST.len()).position(|at| at == LAST).map(|at| at + LAST.len());
        let end = last.and_then(|last| Some(last + self.0[last..].iter().position(|byte| *byte == b'\n')? + 1));
        end.unwrap_or(self.0.len())
    }
}

/// The beginning of the last line of a header, and the newline before it.
const LAST: &[u8] = b"\n--- ";

impl Read for AtOnce<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl BufRead for AtOnce<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.0)
    }

    fn consume(&mut self, count: usize) {
        self.0 = &self.0[count..];
    }

    /// Returns more than the requested line: the whole rest of the header.
    fn read_until(&mut self, _end: u8, out: &mut Vec<u8>) -> io::Result<usize> {
        let count = self.header();
        out.extend_from_slice(&self.0[..count]);
        self.consume(count);
        Ok(count)
    }
}

/// Decrypts what [`encrypt`] encrypted.
///
/// # Errors
/// [`SealError::Decrypt`].
pub(super) fn decrypt(sealed: &str, opener: &Opener) -> Result<Vec<u8>, SealError> {
    let failed = |error: &dyn std::fmt::Display| SealError::Decrypt(error.to_string());
    let bytes = STANDARD.decode(sealed).map_err(|_| failed(&"it is not base64"))?;
    let decryptor = age::Decryptor::new_buffered(AtOnce(&bytes)).map_err(|error| failed(&error))?;
    let mut reader = decryptor.decrypt(opener.identities()).map_err(|error| failed(&error))?;
    let mut text = Vec::new();
    reader.read_to_end(&mut text).map_err(|error| failed(&error))?;
    Ok(text)
}
