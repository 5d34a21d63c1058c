use std::sync::Arc;
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, Error, RootCertStore};
use wattle_agent_core::time::Time;

use super::{CaError, CertificateAuthority, Host};

const DAY: Duration = Duration::from_hours(24);

fn start() -> Time {
    "2026-03-01T00:00:00Z".parse().unwrap()
}

fn authority() -> CertificateAuthority {
    CertificateAuthority::generate(start()..start() + 100 * DAY).unwrap()
}

fn hosts(texts: &[&str]) -> Vec<Host> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn certificates(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes()).map(Result::unwrap).collect()
}

/// The verdict of a client that trusts `trusted` on a server that presents `issued` under the name `name`.
fn judged(trusted: &str, issued: &str, name: &str, time: Time) -> Result<(), Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(trusted) {
        roots.add(certificate).unwrap();
    }
    let verifier = WebPkiServerVerifier::builder(Arc::new(roots)).build().unwrap();
    let shown = certificates(issued);
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let time = UnixTime::since_unix_epoch(Duration::from_secs(time.as_secs()));
    verifier.verify_server_cert(&shown[0], &shown[1..], &name, &[], time).map(drop)
}

#[test]
fn a_certificate_is_for_what_it_was_issued_for_and_as_long() {
    let authority = authority();
    let issued =
        authority.issue(&hosts(&["zk1.example.com", "10.0.0.5", "fd00::5"]), start()..start() + 10 * DAY).unwrap();
    let judge = |name: &str, time| judged(&authority.certificates(), &issued.pem, name, time);
    for name in ["zk1.example.com", "10.0.0.5", "fd00::5"] {
        assert_eq!(judge(name, start()), Ok(()), "{name}");
        // A clock may be slow.
        assert_eq!(judge(name, Time::from_secs(start().as_secs() - 1800)), Ok(()), "{name}");
    }
    assert_eq!(issued.until, start() + 10 * DAY);
    let expired = judge("10.0.0.5", issued.until + DAY).unwrap_err();
    assert!(matches!(expired, Error::InvalidCertificate(CertificateError::ExpiredContext { .. })), "{expired}");
    for name in ["zk2.example.com", "example.com", "10.0.0.6"] {
        let other = judge(name, start()).unwrap_err();
        assert!(matches!(other, Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. })), "{other}");
    }
    let foreign = judged(&self::authority().certificates(), &issued.pem, "10.0.0.5", start()).unwrap_err();
    assert_eq!(foreign, Error::InvalidCertificate(CertificateError::UnknownIssuer));
}

#[test]
fn an_authority_that_is_read_is_the_one_that_was_written() {
    let made = authority();
    let read = CertificateAuthority::read(&made.certificates(), &made.key()).unwrap();
    assert_eq!((read.certificates(), read.key()), (made.certificates(), made.key()));
    assert_eq!((read.until(), read.name()), (made.until(), &*format!("CN={}", made.name())));
    let issued = read.issue(&hosts(&["zk1"]), start()..start() + DAY).unwrap();
    assert_eq!(judged(&made.certificates(), &issued.pem, "zk1", start()), Ok(()));
    // Each has its own key.
    let again = read.issue(&hosts(&["zk1"]), start()..start() + DAY).unwrap();
    let key = |pem: &str| PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap();
    assert_ne!(key(&again.pem), key(&issued.pem));
    assert_ne!(key(&issued.pem), key(&made.key()));
    assert!(!format!("{made:?}{issued:?}").contains("BEGIN"), "a key is shown");
}

#[test]
fn nothing_counts_longer_than_its_authority() {
    let authority = authority();
    let issued = authority.issue(&hosts(&["zk1"]), start()..start() + 300 * DAY).unwrap();
    assert_eq!(issued.until, authority.until());
    let later = authority.until() + DAY;
    assert!(matches!(authority.issue(&hosts(&["zk1"]), later..later + DAY), Err(CaError::Ended { .. })));
    assert!(matches!(authority.issue(&[], start()..start() + DAY), Err(CaError::Nobody)));
    // A name longer than the limit of common names.
    let long = format!("{}.example.com", "a".repeat(60));
    let issued = authority.issue(&hosts(&[&long]), start()..start() + DAY).unwrap();
    assert_eq!(judged(&authority.certificates(), &issued.pem, &long, start()), Ok(()));
}

#[test]
fn what_is_no_authority_signs_nothing() {
    let (one, other) = (authority(), authority());
    let refused = |certificates: &str, key: &str| CertificateAuthority::read(certificates, key).unwrap_err();
    assert!(matches!(refused(&one.certificates(), &other.key()), CaError::OtherKey));
    assert!(matches!(refused("", &one.key()), CaError::NoCertificate));
    assert!(matches!(refused(&one.key(), &one.key()), CaError::NoCertificate));
    assert!(matches!(refused(&one.certificates(), ""), CaError::NoKey));
    assert!(matches!(refused(&one.certificates(), &one.certificates()), CaError::NoKey));
    let member = one.issue(&hosts(&["zk1"]), start()..start() + DAY).unwrap().pem;
    assert!(matches!(refused(&member, &member), CaError::NoAuthority));
}
