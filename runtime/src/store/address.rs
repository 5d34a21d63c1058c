//! Where a data space is: `zookeeper://HOST:PORT[,HOST:PORT...]`, `unix:PATH`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a data space is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `zookeeper://HOST:PORT[,HOST:PORT...]`; `zookeeper+tls://` for TLS, with `?ca=FILE` for a certificate authority
    /// that the system does not know.
    ZooKeeper {
        /// `HOST:PORT[,HOST:PORT...]`, as ZooKeeper's clients take it.
        hosts: String,
        /// For TLS: the file of the certificate authority, or none for those of the system.
        tls: Option<Option<PathBuf>>,
    },
    /// `unix:PATH`: the socket of an embedded store.
    Socket(PathBuf),
}

/// Why a text is no [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not where a data space can be: {why}; expected `zookeeper://HOST:PORT[,HOST:PORT...]` or `unix:PATH`"
)]
pub struct AddressError {
    text: String,
    why: &'static str,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let refuse = |why| AddressError { text: text.to_owned(), why };
        if let Some(path) = text.strip_prefix("unix:") {
            // `unix:///run/x` as a URL, `unix:/run/x` and `unix:x` as systemd and others have it.
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(refuse("no path")) } else { Ok(Self::Socket(path.into())) };
        }
        let (rest, secure) = match (text.strip_prefix("zookeeper://"), text.strip_prefix("zookeeper+tls://")) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) => (rest, true),
            _ => return Err(refuse("unknown kind")),
        };
        let (hosts, query) = rest.split_once('?').map_or((rest, None), |(hosts, query)| (hosts, Some(query)));
        let ca = match query.map(|query| query.strip_prefix("ca=")) {
            None => None,
            Some(Some(file)) if secure && !file.is_empty() => Some(PathBuf::from(file)),
            Some(_) => return Err(refuse("the only option is `?ca=FILE`, with TLS")),
        };
        let hosts = hosts.trim_end_matches('/');
        for host in hosts.split(',') {
            let (name, port) = host.rsplit_once(':').ok_or_else(|| refuse("a host without a port"))?;
            if name.is_empty() || port.parse::<u16>().is_err() {
                return Err(refuse("a malformed host or port"));
            }
        }
        Ok(Self::ZooKeeper { hosts: hosts.to_owned(), tls: secure.then_some(ca) })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZooKeeper { hosts, tls: None } => write!(f, "zookeeper://{hosts}"),
            Self::ZooKeeper { hosts, tls: Some(None) } => write!(f, "zookeeper+tls://{hosts}"),
            Self::ZooKeeper { hosts, tls: Some(Some(ca)) } => write!(f, "zookeeper+tls://{hosts}?ca={}", ca.display()),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
