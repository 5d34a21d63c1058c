//! An authority, and what it issues.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData as _, SanType,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest as _, Sha256};
use wattle_agent_core::hex;
use wattle_agent_core::time::Time;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::pem;

use super::Host;

/// Longest common name (RFC 5280, `ub-common-name`).
const LONGEST: usize = 64;

/// How much earlier a certificate begins than it is made, for clocks that are slow.
const SLOW: Duration = Duration::from_hours(1);

/// What signs the certificates of members.
#[derive(Debug)]
pub struct CertificateAuthority {
    /// Its own first, then those that it is of, if any.
    certificates: Vec<CertificateDer<'static>>,
    issuer: Issuer<'static, KeyPair>,
    name: String,
    until: Time,
}

/// A certificate with its key and all that a server shows with it.
#[derive(Clone)]
pub struct Issued {
    /// Key, certificate and the authority's, in PEM. Secret.
    pub pem: String,
    /// When it ends.
    pub until: Time,
}

impl std::fmt::Debug for Issued {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Issued(until {:.0})", self.until)
    }
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CaError {
    /// There is no certificate in the file.
    #[error("there is no certificate in it, in PEM (`-----BEGIN CERTIFICATE-----`)")]
    NoCertificate,
    /// There is no key in the file, or none that we know.
    #[error(
        "there is no private key in it that can be used, in PEM and without a password (`-----BEGIN PRIVATE KEY-----`)"
    )]
    NoKey,
    /// The certificate may not sign others.
    #[error("the certificate does not belong to an authority: it may not sign others")]
    NoAuthority,
    /// The key is another one.
    #[error("the key does not belong to the certificate")]
    OtherKey,
    /// It has ended.
    #[error("the authority expired on {until:.0}")]
    Ended {
        /// When.
        until: Time,
    },
    /// It has no names.
    #[error("a certificate is for at least one name or address")]
    Nobody,
    /// What makes them does not.
    #[error("the certificate cannot be made: {0}")]
    Make(#[from] rcgen::Error),
}

impl CertificateAuthority {
    /// A new one, which signs the certificates of servers and no other authority's.
    ///
    /// # Errors
    /// [`CaError::Make`].
    pub fn generate(validity: Range<Time>) -> Result<Self, CaError> {
        let key = KeyPair::generate()?;
        // Authorities with the same name are confused with each other.
        let name = format!("wattle CA {}", hex(&Sha256::digest(key.subject_public_key_info())[..8]));
        let mut params = CertificateParams::default();
        set(&mut params, &name, &validity);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?.der().clone();
        Ok(Self { certificates: vec![certificate], issuer: Issuer::new(params, key), name, until: validity.end })
    }

    /// The one of these certificates and this key, both in PEM. Of the certificates the first is its own, and the rest are of those
    /// that have signed it.
    ///
    /// # Errors
    /// What is not as it should be.
    pub fn read(certificates: &str, key: &str) -> Result<Self, CaError> {
        let certificates = certificates_in(certificates)?;
        let first = &certificates[0];
        let key = key_in(key)?;
        let read = whole(first)?;
        let signs = read.key_usage().ok().flatten().is_none_or(|usage| usage.value.key_cert_sign());
        if !read.is_ca() || !signs {
            return Err(CaError::NoAuthority);
        }
        if read.public_key().raw != key.subject_public_key_info() {
            return Err(CaError::OtherKey);
        }
        let name = read.subject().to_string();
        let until = until(&read);
        let issuer = Issuer::from_ca_cert_der(first, key)?;
        Ok(Self { certificates, issuer, name, until })
    }

    /// The certificates in a text, in PEM as wattle writes it: anything else in it is not passed on.
    ///
    /// # Errors
    /// If there is none, or one is not a certificate.
    pub fn only_certificates(text: &str) -> Result<String, CaError> {
        Ok(certificates_in(text)?.iter().map(|der| pem::certificate(der)).collect())
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When it ends.
    pub fn until(&self) -> Time {
        self.until
    }

    /// Its certificates, in PEM.
    pub fn certificates(&self) -> String {
        self.certificates.iter().map(|der| pem::certificate(der)).collect()
    }

    /// Its key, in PEM. Secret.
    pub fn key(&self) -> String {
        pem::private_key(self.issuer.key().serialized_der())
    }

    /// A certificate for a server that clients reach by any of `hosts`, with a new key. It is for members of an
    /// ensemble, too, which are each other's clients. It ends when the authority does, if that is earlier.
    ///
    /// # Errors
    /// When there are no hosts, the authority has ended, or it cannot be made.
    pub fn issue(&self, hosts: &[Host], validity: Range<Time>) -> Result<Issued, CaError> {
        let first = hosts.first().ok_or(CaError::Nobody)?.to_string();
        if self.until <= validity.start {
            return Err(CaError::Ended { until: self.until });
        }
        let until = validity.end.min(self.until);
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        set(&mut params, if first.len() > LONGEST { "server" } else { &first }, &(validity.start..until));
        params.subject_alt_names = hosts.iter().map(alternative).collect::<Result<_, _>>()?;
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &self.issuer)?;
        let pem = pem::private_key(key.serialized_der()) + &pem::certificate(certificate.der()) + &self.certificates();
        Ok(Issued { pem, until })
    }
}

impl Issued {
    /// The one in a text that was written from [`Issued::pem`]. Anything else in it is not passed on.
    ///
    /// # Errors
    /// What is not as it should be.
    pub fn read(text: &str) -> Result<Self, CaError> {
        let (key, certificates) = (key_in(text)?, certificates_in(text)?);
        let own = whole(&certificates[0])?;
        if own.public_key().raw != key.subject_public_key_info() {
            return Err(CaError::OtherKey);
        }
        let certificates = certificates.iter().map(|der| pem::certificate(der));
        let pem = [pem::private_key(key.serialized_der())].into_iter().chain(certificates).collect();
        Ok(Self { pem, until: until(&own) })
    }
}

/// The certificates in a text, at least one. Explanatory text may come between them (RFC 7468, 2). What claims to be a
/// certificate must be one, without trailing data.
fn certificates_in(text: &str) -> Result<Vec<CertificateDer<'static>>, CaError> {
    let found = CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|_| CaError::NoCertificate)?;
    found.iter().try_for_each(|der| whole(der).map(drop))?;
    if found.is_empty() { Err(CaError::NoCertificate) } else { Ok(found) }
}

fn key_in(text: &str) -> Result<KeyPair, CaError> {
    let key = PrivateKeyDer::from_pem_slice(text.as_bytes()).map_err(|_| CaError::NoKey)?;
    KeyPair::try_from(&key).map_err(|_| CaError::NoKey)
}

/// A certificate without trailing data.
fn whole<'d>(der: &'d CertificateDer<'_>) -> Result<X509Certificate<'d>, CaError> {
    match X509Certificate::from_der(der) {
        Ok(([], read)) => Ok(read),
        _ => Err(CaError::NoCertificate),
    }
}

fn until(certificate: &X509Certificate<'_>) -> Time {
    Time::from_secs(u64::try_from(certificate.validity().not_after.timestamp()).unwrap_or_default())
}

/// Whose a certificate is, and when it counts.
fn set(params: &mut CertificateParams, name: &str, validity: &Range<Time>) {
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let start = SystemTime::from(validity.start);
    params.not_before = start.checked_sub(SLOW).unwrap_or(start).into();
    params.not_after = SystemTime::from(validity.end).into();
}

fn alternative(host: &Host) -> Result<SanType, rcgen::Error> {
    Ok(match host {
        Host::Name(name) => SanType::DnsName(name.as_str().try_into()?),
        Host::Address(address) => SanType::IpAddress(*address),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Time {
        "2026-03-01T00:00:00Z".parse().unwrap()
    }

    #[test]
    fn nothing_but_certificates_and_their_key_is_handed_on() {
        let validity = start()..start() + Duration::from_hours(24);
        let made = CertificateAuthority::generate(validity.clone()).unwrap();
        let hostile = "x'; touch /tmp/pwned; : '\n";
        let around = |text: &str| format!("{hostile}{}\n# more\n{hostile}", text.trim_end().replace('\n', "\r\n"));
        let read = CertificateAuthority::read(&around(&made.certificates()), &around(&made.key())).unwrap();
        assert_eq!((read.certificates(), read.key()), (made.certificates(), made.key()));
        let only = CertificateAuthority::only_certificates(&around(&(made.certificates() + &made.key()))).unwrap();
        assert_eq!(only, made.certificates());
        let issued = made.issue(&["zk1".parse().unwrap()], validity.clone()).unwrap();
        let read = Issued::read(&around(&issued.pem)).unwrap();
        assert_eq!((read.pem, read.until), (issued.pem.clone(), issued.until));
        // One key with the certificate of another.
        let other = made.issue(&["zk2".parse().unwrap()], validity).unwrap().pem;
        let (key, _) = issued.pem.split_at(issued.pem.find("-----BEGIN CERT").unwrap());
        let (_, certificate) = other.split_at(other.find("-----BEGIN CERT").unwrap());
        assert!(matches!(Issued::read(&format!("{key}{certificate}")), Err(CaError::OtherKey)));
        assert!(matches!(Issued::read(key), Err(CaError::NoCertificate)));
    }

    #[test]
    fn what_claims_to_be_a_certificate_is_one() {
        let made = CertificateAuthority::generate(start()..start() + Duration::from_hours(24)).unwrap();
        let longer = [made.certificates[0].as_ref(), b"more"].concat();
        for hostile in [pem::certificate(&longer), pem::certificate(b"'; touch /tmp/pwned; : '")] {
            for text in [hostile.clone(), made.certificates() + &hostile, hostile + &made.certificates()] {
                assert!(
                    matches!(CertificateAuthority::read(&text, &made.key()), Err(CaError::NoCertificate)),
                    "{text}"
                );
                assert!(CertificateAuthority::only_certificates(&text).is_err(), "{text}");
            }
        }
    }
}
