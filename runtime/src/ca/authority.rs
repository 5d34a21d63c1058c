//! A certificate authority, and the certificates that it issues.

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

/// The longest common name (RFC 5280, `ub-common-name`).
const LONGEST: usize = 64;

/// How long before its creation a certificate becomes valid, for clocks that are slow.
const SLOW: Duration = Duration::from_hours(1);

/// An authority that signs the certificates of members.
#[derive(Debug)]
pub struct CertificateAuthority {
    /// Its own certificate first, then those of its issuers, if any.
    certificates: Vec<CertificateDer<'static>>,
    issuer: Issuer<'static, KeyPair>,
    name: String,
    until: Time,
}

/// A certificate with its key and the chain that a server presents.
#[derive(Clone)]
pub struct Issued {
    /// Key, certificate and the authority's certificates, in PEM. Secret.
    pub pem: String,
    /// When the certificate expires.
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
    /// The file contains no certificate.
    #[error("there is no certificate in it, in PEM (`-----BEGIN CERTIFICATE-----`)")]
    NoCertificate,
    /// The file contains no key, or none of a supported type.
    #[error(
        "there is no private key in it that can be used, in PEM and without a password (`-----BEGIN PRIVATE KEY-----`)"
    )]
    NoKey,
    /// The certificate may not be used to sign others.
    #[error("the certificate does not belong to an authority: it may not sign others")]
    NoAuthority,
    /// The key belongs to another certificate.
    #[error("the key does not belong to the certificate")]
    OtherKey,
    /// The authority has expired.
    #[error("the authority expired on {until:.0}")]
    Ended {
        /// When it expired.
        until: Time,
    },
    /// The certificate has no names.
    #[error("a certificate is for at least one name or address")]
    Nobody,
    /// Generating it failed.
    #[error("the certificate cannot be made: {0}")]
    Make(#[from] rcgen::Error),
}

impl CertificateAuthority {
    /// Generates an authority that signs the certificates of servers, but not of other authorities.
    ///
    /// # Errors
    /// [`CaError::Make`].
    pub fn generate(validity: Range<Time>) -> Result<Self, CaError> {
        let key = KeyPair::generate()?;
        // Authorities with the same name would be confused with each other.
        let name = format!("wattle CA {}", hex(&Sha256::digest(key.subject_public_key_info())[..8]));
        let mut params = CertificateParams::default();
        set(&mut params, &name, &validity);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?.der().clone();
        Ok(Self { certificates: vec![certificate], issuer: Issuer::new(params, key), name, until: validity.end })
    }

    /// Reads an authority from its certificates and its key, both in PEM. The first certificate is its own, and the
    /// others are those of its issuers.
    ///
    /// # Errors
    /// What is wrong with them.
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

    /// Extracts the certificates from a text in PEM, as wattle writes it, dropping anything else.
    ///
    /// # Errors
    /// There is none, or one is not a certificate.
    pub fn only_certificates(text: &str) -> Result<String, CaError> {
        Ok(certificates_in(text)?.iter().map(|der| pem::certificate(der)).collect())
    }

    /// The authority's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When the authority expires.
    pub fn until(&self) -> Time {
        self.until
    }

    /// The authority's certificates, in PEM.
    pub fn certificates(&self) -> String {
        self.certificates.iter().map(|der| pem::certificate(der)).collect()
    }

    /// The authority's key, in PEM. Secret.
    pub fn key(&self) -> String {
        pem::private_key(self.issuer.key().serialized_der())
    }

    /// Issues a certificate for a server that clients reach by any of `hosts`, with a new key. It also serves members
    /// of an ensemble, which are each other's clients. It expires no later than the authority.
    ///
    /// # Errors
    /// There are no hosts, the authority has expired, or generating it failed.
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
    /// Reads the text of [`Issued::pem`], dropping anything else.
    ///
    /// # Errors
    /// What is wrong with it.
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

/// Reads the certificates in a text, at least one. Explanatory text may come between them (RFC 7468, 2). Anything
/// labelled as a certificate must be one, without trailing data.
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

/// Parses a certificate without trailing data.
fn whole<'d>(der: &'d CertificateDer<'_>) -> Result<X509Certificate<'d>, CaError> {
    match X509Certificate::from_der(der) {
        Ok(([], read)) => Ok(read),
        _ => Err(CaError::NoCertificate),
    }
}

fn until(certificate: &X509Certificate<'_>) -> Time {
    Time::from_secs(u64::try_from(certificate.validity().not_after.timestamp()).unwrap_or_default())
}

/// Sets the subject and the validity of a certificate.
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
        // A key with the certificate of another one.
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
