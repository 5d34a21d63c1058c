//! TLS: decides which servers to trust, and explains why a server is not trusted.

use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore};
use wattle_agent_core::time::Time;
use zookeeper_client::TlsOptions;

use crate::store::{Authority, of_the_system};

/// How long to examine why a connection fails.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Tls {
    pub(super) options: TlsOptions,
    config: Arc<ClientConfig>,
    // `HOST:PORT`, and the name that the certificate must be for.
    servers: Vec<(String, ServerName<'static>)>,
}

impl Tls {
    /// Trusts servers whose certificates come from `authority`.
    ///
    /// # Errors
    /// The reason why that is impossible.
    pub(super) fn new(hosts: &str, authority: &Authority) -> Result<Self, String> {
        let pem = match authority.certificates().map_err(|error| error.to_string())? {
            Some(pem) => pem,
            None => of_the_system()?,
        };
        let options =
            TlsOptions::new().with_pem_ca(&pem).map_err(|error| format!("the certificate authority: {error}"))?;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem.as_bytes()).flatten());
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let servers = hosts.split(',').map(|host| {
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            let name = name.trim_start_matches('[').trim_end_matches(']');
            let name = ServerName::try_from(name.to_owned());
            Ok((host.to_owned(), name.map_err(|_| format!("`{host}` is not a name that a certificate can be for"))?))
        });
        Ok(Self { options, config: Arc::new(config), servers: servers.collect::<Result<_, String>>()? })
    }

    /// Why reconnecting is pointless: a server's certificate is refused. For any failure, the client reports only that
    /// there is no server.
    pub(super) async fn refusal(&self) -> Option<String> {
        for (host, name) in &self.servers {
            let (config, address, name) = (Arc::clone(&self.config), host.clone(), name.clone());
            let shaken = tokio::task::spawn_blocking(move || shake_hands(config, &address, name)).await;
            if let Ok(Err(error)) = shaken
                && let Some(error) = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>())
                && let rustls::Error::InvalidCertificate(why) = error
            {
                return Some(format!("{host}: {}", in_words(why).unwrap_or_else(|| error.to_string())));
            }
        }
        None
    }
}

/// Describes errors about validity periods in days instead of seconds, with advice.
fn in_words(why: &CertificateError) -> Option<String> {
    let at = |time: UnixTime| format!("{:.0}", Time::from_secs(time.as_secs()));
    match why {
        CertificateError::ExpiredContext { not_after, .. } => Some(format!(
            "the certificate of this member expired on {}: nothing connects to it until it has a new one, for example \
             from `wattle ca issue`",
            at(*not_after)
        )),
        CertificateError::NotValidYetContext { time, not_before } => Some(format!(
            "the certificate of this member is valid from {} on, and the clock of this machine says {}: one of them is \
             wrong",
            at(*not_before),
            at(*time)
        )),
        _ => None,
    }
}

fn shake_hands(config: Arc<ClientConfig>, address: &str, name: ServerName<'static>) -> io::Result<()> {
    let address = address.to_socket_addrs()?.next().ok_or(io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut connection = ClientConnection::new(config, name).map_err(io::Error::other)?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(())
}
