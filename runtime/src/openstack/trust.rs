//! Decides which servers to trust at a cloud's addresses, and explains why others are not trusted.

use std::error::Error;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use wattle::manners::read;
use wattle_agent_core::time::Time;
use wattle_openstack::{Cloud, Flaw};
use wattle_words::names;

use crate::store::of_the_system;

#[cfg(test)]
mod tests;

/// The maximum number of a certificate's names that a message lists.
const NAMES: usize = 6;

/// Configures TLS with the authorities in the cloud's settings.
///
/// # Errors
/// The authorities cannot be used; the error is a message.
pub(super) fn config(cloud: &Cloud) -> Result<ClientConfig, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    if !cloud.verify {
        let anyone = Arc::new(Anyone(algorithms));
        return Ok(builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth());
    }
    let pem = match &cloud.cacert {
        Some(file) => read(std::path::Path::new(file)).map_err(|error| {
            format!(
                "cannot read the certificate authority `{file}` of the cloud `{}`: {}",
                cloud.name,
                wattle::manners::reason(&error)
            )
        })?,
        // A cloud without TLS needs none.
        None if !cloud.auth_url.starts_with("https:") => of_the_system().unwrap_or_default(),
        None => of_the_system()?,
    };
    let mut roots = RootCertStore::empty();
    let (taken, _) = roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem.as_bytes()).flatten());
    match &cloud.cacert {
        Some(file) if taken == 0 => Err(format!(
            "the certificate authority `{file}` of the cloud `{}` holds no certificate in PEM (`-----BEGIN CERTIFICATE-----`)",
            cloud.name
        )),
        _ => Ok(builder.with_root_certificates(roots).with_no_client_auth()),
    }
}

/// The flaw of a certificate, if it is the cause of these errors.
pub(super) fn refusal<'e>(errors: impl Iterator<Item = &'e (dyn Error + 'static)>) -> Option<(Flaw, String)> {
    errors.filter_map(|error| error.downcast_ref()).find_map(|error| match error {
        rustls::Error::InvalidCertificate(why) => Some(flaw(why)),
        _ => None,
    })
}

fn flaw(why: &CertificateError) -> (Flaw, String) {
    let at = |time: UnixTime| format!("{:.0}", Time::from_secs(time.as_secs()));
    match why {
        CertificateError::UnknownIssuer => (Flaw::Issuer, "its issuer is not trusted".into()),
        CertificateError::Other(other) if other.to_string() == "CaUsedAsEndEntity" => {
            (Flaw::Other, "it belongs to an authority, not to a host".into())
        }
        CertificateError::ExpiredContext { not_after, .. } => (Flaw::Time, format!("it expired on {}", at(*not_after))),
        CertificateError::NotValidYetContext { time, not_before } => {
            (Flaw::Time, format!("it is valid from {} on, and the clock here says {}", at(*not_before), at(*time)))
        }
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            (Flaw::Host, "it names no host (`subjectAltName`)".into())
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            (Flaw::Host, format!("it is for {}", names::some(presented.iter().map(|name| spoken(name)), NAMES)))
        }
        other => (Flaw::Other, other.to_string()),
    }
}

/// The name of a host in rustls's output: `DnsName("cloud.example")`, `IpAddress(10.0.0.5)`.
fn spoken(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, inner)| inner.strip_suffix(')')).unwrap_or(name);
    inner.trim_matches('"')
}

/// Trusts any server, for `verify: false` of clouds.yaml.
#[derive(Debug)]
struct Anyone(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
