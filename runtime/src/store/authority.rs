//! Trusted certificate authorities.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use wattle::manners::read;

use crate::pem;

/// The maximum size of an authority's certificates in PEM, in bytes: they are part of each server's user data, which
/// Nova limits to 49,149 bytes.
const MOST: usize = 8 * 1024;

/// Where systems keep the certificate authorities that they know: Debian and similar, Red Hat, SUSE, Alpine.
const OF_THE_SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// A trusted certificate authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authority {
    /// All authorities that the system knows.
    System,
    /// The authority in a file, in PEM.
    File(PathBuf),
    /// The authority with these certificates, in PEM.
    Pem(String),
}

/// Identifies an authority: a digest of its public key, which stays the same when its certificate is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AuthorityId([u8; 32]);

impl AuthorityId {
    /// As bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<AuthorityId> for String {
    fn from(id: AuthorityId) -> Self {
        STANDARD.encode(id.0)
    }
}

impl TryFrom<String> for AuthorityId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bytes = STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or("no digest of an authority's key")
    }
}

/// Why an authority cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// Its file cannot be read.
    #[error("the certificate authority `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It contains no certificate.
    #[error("the certificate authority {name} holds no certificate in PEM (`-----BEGIN CERTIFICATE-----`)")]
    None {
        /// The authority.
        name: String,
    },
    /// It is too large for user data.
    #[error(
        "the certificate authority {name} has {bytes} bytes of certificates, and the user data of a server has room \
         for {MOST}: give the file of the one authority that the data space's certificates come from"
    )]
    Large {
        /// The authority.
        name: String,
        /// Its size in bytes.
        bytes: usize,
    },
}

impl Authority {
    /// Its certificates in PEM, without other contents of its file. `None` for the system's.
    ///
    /// # Errors
    /// Its file cannot be read, contains no certificate, or contains too many.
    pub fn certificates(&self) -> Result<Option<String>, AuthorityError> {
        let (name, pem) = match self {
            Self::System => return Ok(None),
            Self::File(path) => {
                let name = format!("`{}`", path.display());
                match read(path) {
                    Ok(pem) => (name, pem),
                    // Certificates in DER, for example.
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        return Err(AuthorityError::None { name });
                    }
                    Err(source) => return Err(AuthorityError::Read { path: path.clone(), source }),
                }
            }
            Self::Pem(pem) => ("that was given".to_owned(), pem.clone()),
        };
        let found = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<Vec<_>, _>>();
        let certificates: String =
            found.unwrap_or_default().iter().map(|certificate| pem::certificate(certificate)).collect();
        match certificates.len() {
            0 => Err(AuthorityError::None { name }),
            bytes if bytes > MOST => Err(AuthorityError::Large { name, bytes }),
            _ => Ok(Some(certificates)),
        }
    }

    /// The identifiers of its certificates, in order. All of the system's have a single one.
    ///
    /// # Errors
    /// As for [`Self::certificates`].
    pub fn ids(&self) -> Result<Vec<AuthorityId>, AuthorityError> {
        let id = |what: &[u8]| AuthorityId(Sha256::digest(what).into());
        let Some(pem) = self.certificates()? else { return Ok(vec![id(b"of the system")]) };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem.as_bytes()).flatten());
        let mut ids: Vec<AuthorityId> = Vec::new();
        for root in &roots.roots {
            let id = id(&root.subject_public_key_info);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }
}

/// The certificates that the system trusts, in PEM.
///
/// # Errors
/// They cannot be read.
pub(crate) fn of_the_system() -> Result<String, String> {
    let file = OF_THE_SYSTEM
        .iter()
        .map(Path::new)
        .find(|file| file.exists())
        .ok_or("this system has no certificate authorities in the usual places: name the file of one")?;
    read(file).map_err(|error| format!("the certificate authorities `{}`: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nothing_but_certificates_travels() {
        let certificate = pem::certificate(&[7; 100]);
        let mixed = format!(
            "a note\n-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n{certificate}more\n{certificate}"
        );
        let travels = Authority::Pem(mixed).certificates().unwrap().unwrap();
        assert_eq!(travels, format!("{certificate}{certificate}"));
        assert_eq!(Authority::Pem(travels.clone()).certificates().unwrap(), Some(travels));
        assert_eq!(Authority::System.certificates().unwrap(), None);
    }

    #[test]
    fn what_is_no_authority_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let refused = || Authority::File(file.clone()).certificates().unwrap_err();
        assert!(matches!(refused(), AuthorityError::Read { .. }));
        fs::write(&file, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n").unwrap();
        assert!(matches!(refused(), AuthorityError::None { .. }), "{}", refused());
        fs::write(&file, [0x30, 0x82, 0xff]).unwrap();
        assert!(matches!(refused(), AuthorityError::None { .. }), "{}", refused());
        fs::write(&file, pem::certificate(&[7; 1000]).repeat(8)).unwrap();
        assert!(refused().to_string().contains("room for 8192"), "{}", refused());
    }
}
