//! Secret values: encrypted for their readers before they leave the writer (age, X25519).

use std::io::{Read as _, Write as _};

use age::x25519::Recipient;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wattle::model::Value;

use super::Opener;

/// Why a value was not encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// Nobody could read it.
    #[error("a secret needs at least one reader")]
    NoReader,
    /// Someone for whom it should be encrypted is none.
    #[error("`{recipient}` is not a recipient that age knows")]
    Recipient {
        /// Who.
        recipient: String,
    },
    /// It was not made for this server, or was damaged.
    #[error("the secret cannot be decrypted here: {0}")]
    Decrypt(String),
    /// What comes out is no value.
    #[error("the secret holds no value: {0}")]
    Value(#[from] serde_json::Error),
}

/// Encrypts `value` for each of `recipients`, age's public keys.
///
/// # Errors
/// [`SealError::NoReader`], [`SealError::Recipient`].
pub fn seal<'a>(value: &Value, recipients: impl IntoIterator<Item = &'a str>) -> Result<String, SealError> {
    let parse = |text: &str| text.parse().map_err(|_| SealError::Recipient { recipient: text.to_owned() });
    let recipients = recipients.into_iter().map(parse).collect::<Result<Vec<Recipient>, _>>()?;
    let recipients = recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(recipients).map_err(|_| SealError::NoReader)?;
    let mut sealed = Vec::new();
    let text = serde_json::to_vec(value)?;
    let written = encryptor.wrap_output(&mut sealed).and_then(|mut out| {
        out.write_all(&text)?;
        out.finish()
    });
    written.map_err(|error| SealError::Decrypt(error.to_string()))?;
    Ok(STANDARD.encode(sealed))
}

/// Decrypts what [`seal`] encrypted.
///
/// # Errors
/// [`SealError::Decrypt`], [`SealError::Value`].
pub fn open(sealed: &str, opener: &Opener) -> Result<Value, SealError> {
    let bytes = STANDARD.decode(sealed).map_err(|error| SealError::Decrypt(error.to_string()))?;
    let decrypt = |error: &dyn std::fmt::Display| SealError::Decrypt(error.to_string());
    let decryptor = age::Decryptor::new(&*bytes).map_err(|error| decrypt(&error))?;
    let identity: &dyn age::Identity = opener.identity();
    let mut reader = decryptor.decrypt(std::iter::once(identity)).map_err(|error| decrypt(&error))?;
    let mut text = Vec::new();
    reader.read_to_end(&mut text).map_err(|error| decrypt(&error))?;
    Ok(serde_json::from_slice(&text)?)
}
