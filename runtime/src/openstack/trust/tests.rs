//! A cloud behind real TLS, with the certificate that each test specifies.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime};

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::{Fault, Session};

use super::*;
use crate::ca::CertificateAuthority;
use crate::openstack::Http;

const DAY: Duration = Duration::from_hours(24);

fn now() -> Time {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Time::from_secs(since.as_secs())
}

/// The day before `time`.
fn before(time: Time) -> Time {
    Time::from_secs(time.as_secs() - DAY.as_secs())
}

fn authority() -> CertificateAuthority {
    CertificateAuthority::generate(before(before(now()))..now() + DAY).unwrap()
}

/// Serves a cloud that presents this certificate, and then refuses every client that trusts it. Returns its port.
fn cloud(pem: &str) -> u16 {
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes()).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap();
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(certificates, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut tls = StreamOwned::new(connection, stream);
            let mut asked = [0; 4096];
            // A client that does not trust it disconnects.
            if tls.read(&mut asked).is_ok_and(|read| read > 0) {
                let answer = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                tls.write_all(answer.as_bytes()).unwrap();
                tls.conn.send_close_notify();
                let _ = tls.flush();
            }
        }
    });
    port
}

/// The fault of a client that logs in at that port of this machine, with more settings.
fn said(port: u16, more: &str) -> Fault {
    let text = format!(
        "clouds: {{a: {{auth: {{auth_url: 'https://localhost:{port}', username: u, password: p, project_id: q}}{more}}}}}"
    );
    let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), text)), ..CloudConfig::default() };
    let cloud = Cloud::choose(&sources, None).unwrap();
    let wire = Arc::new(Http::new(&cloud).unwrap());
    let session = Session::new(cloud, wire, Duration::from_mins(1));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let began = Instant::now();
    let fault = runtime.block_on(session.token()).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(30), "it was asked again: {fault}");
    fault
}

#[test]
fn who_is_not_trusted_is_named_at_once_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, foreign) = (authority(), authority());
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, ours.certificates()).unwrap();
    let trusting = format!(", cacert: '{}'", file.display());
    let issued = |authority: &CertificateAuthority, host: &str, from: Time, until: Time| {
        cloud(&authority.issue(&[host.parse().unwrap()], from..until).unwrap().pem)
    };
    let right = issued(&ours, "localhost", before(now()), now() + DAY);
    let Fault::LoggedOut { .. } = said(right, &trusting) else { panic!("what is right is trusted") };
    let refused = |port: u16, flaw: Flaw, why: &str, help: &str| {
        let fault = said(port, &trusting);
        assert_eq!(fault.to_string(), format!("the certificate of `localhost:{port}` is not trusted: {why}"));
        assert!(matches!(&fault, Fault::Untrusted { flaw: found, .. } if *found == flaw), "{fault:?}");
        let said = fault.help().unwrap_or_default();
        assert!(said.contains(help) && said.contains("`verify: false`"), "{said}");
        let Fault::LoggedOut { .. } = said_to_all(port) else { panic!("`verify: false` trusts anyone") };
    };
    let unknown = issued(&foreign, "localhost", before(now()), now() + DAY);
    refused(unknown, Flaw::Issuer, "its issuer is not trusted", "`OS_CACERT`");
    let other = issued(&ours, "cloud.example", before(now()), now() + DAY);
    refused(other, Flaw::Host, "it is for `cloud.example`", "`auth_url`");
    let ended = before(now());
    let expired = issued(&ours, "localhost", before(ended), ended);
    refused(expired, Flaw::Time, &format!("it expired on {ended:.0}"), "renew");
}

/// The fault of a client that trusts any server.
fn said_to_all(port: u16) -> Fault {
    said(port, ", verify: false")
}
