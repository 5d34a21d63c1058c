//! PEM (RFC 7468), as we write it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A certificate.
pub(crate) fn certificate(der: &[u8]) -> String {
    encode("CERTIFICATE", der)
}

/// A private key (PKCS #8).
pub(crate) fn private_key(der: &[u8]) -> String {
    encode("PRIVATE KEY", der)
}

/// Lines of 64.
fn encode(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for line in text.as_bytes().chunks(64) {
        pem.extend(line.iter().map(|byte| char::from(*byte)));
        pem.push('\n');
    }
    pem + &format!("-----END {label}-----\n")
}
