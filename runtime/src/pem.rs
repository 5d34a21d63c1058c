//! PEM encoding (RFC 7468).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Encodes a certificate.
pub(crate) fn certificate(der: &[u8]) -> String {
    encode("CERTIFICATE", der)
}

/// Encodes a private key (PKCS #8).
pub(crate) fn private_key(der: &[u8]) -> String {
    encode("PRIVATE KEY", der)
}

/// Encodes with lines of 64 characters.
fn encode(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for line in text.as_bytes().chunks(64) {
        pem.extend(line.iter().map(|byte| char::from(*byte)));
        pem.push('\n');
    }
    pem + &format!("-----END {label}-----\n")
}
