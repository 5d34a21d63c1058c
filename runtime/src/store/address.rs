//! The address of a data space: `zookeeper+tls://HOST:PORT[,HOST:PORT...]`, `zookeeper://` for this machine,
//! `unix:PATH`.
//!
//! Only this module decides which ZooKeeper may be used without TLS.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use super::authority::{Authority, AuthorityError, AuthorityId};

/// The address of a data space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A ZooKeeper.
    ZooKeeper {
        /// `HOST:PORT[,HOST:PORT...]`, as ZooKeeper clients expect it.
        hosts: String,
        /// Whether connections are encrypted.
        encryption: Encryption,
    },
    /// `unix:PATH`: the socket of an embedded store.
    Socket(PathBuf),
}

/// Whether connections to a ZooKeeper are encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// `zookeeper://`: unencrypted, for loopback addresses. For others only with `?insecure`, which declares that the
    /// network in between is trusted.
    Clear,
    /// `zookeeper+tls://`: TLS, with servers whose certificates come from this authority. `?ca=FILE` names an authority
    /// that the system does not know.
    Tls(Authority),
}

/// Why a text is not an [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is malformed.
    #[error(
        "`{text}` is not the address of a data space: {why}; expected `zookeeper+tls://HOST:PORT[,HOST:PORT...]`, \
         `zookeeper://` of this machine, or `unix:PATH`"
    )]
    Malformed {
        /// The given text.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It is unencrypted, and of another machine.
    #[error(
        "`{text}` is not encrypted, and `{host}` is another machine: anyone on the network between can read the \
         passwords, and change what servers run"
    )]
    InClear {
        /// The given text.
        text: String,
        /// The first host that is not this machine.
        host: String,
    },
}

impl AddressError {
    /// Returns advice. Empty for a malformed address, whose message already contains it.
    pub fn help(&self) -> &'static [&'static str] {
        match self {
            Self::Malformed { .. } => &[],
            Self::InClear { .. } => &[
                "use `zookeeper+tls://`; `--ca FILE` names the certificate authority, if the system does not know it",
                "if you trust the network between, say so: `--insecure`, or `?insecure` after the address. Servers \
                 then get the same setting",
            ],
        }
    }
}

impl Address {
    /// Parses an address. An unencrypted address of another machine is accepted only if `is_insecure` is set, or with
    /// `?insecure`.
    ///
    /// # Errors
    /// The address is invalid.
    pub fn read(text: &str, is_insecure: bool) -> Result<Self, AddressError> {
        let refuse = |why| AddressError::Malformed { text: text.to_owned(), why };
        if let Some(path) = text.strip_prefix("unix:") {
            // `unix:///run/x` as a URL, `unix:/run/x` and `unix:x` as written by systemd and others.
            let path = path.strip_prefix("//").unwrap_or(path);
            // When the address is parsed again, two slashes would look like those of a URL.
            let rest = path.trim_start_matches('/');
            let path = &path[path.len() - rest.len() - usize::from(rest.len() < path.len())..];
            return if path.is_empty() { Err(refuse("no path")) } else { Ok(Self::Socket(path.into())) };
        }
        let (rest, is_secure) = match (text.strip_prefix("zookeeper://"), text.strip_prefix("zookeeper+tls://")) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) => (rest, true),
            _ => return Err(refuse("unknown kind")),
        };
        let (hosts, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (mut authority, mut is_insecure) = (Authority::System, is_insecure);
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("ca", file)) if is_secure && !file.is_empty() => authority = Authority::File(file.into()),
                None if option == "insecure" && !is_secure => is_insecure = true,
                _ => return Err(refuse("the options are `?ca=FILE`, with TLS, and `?insecure`, without")),
            }
        }
        let hosts = hosts.trim_end_matches('/');
        for host in hosts.split(',') {
            let (name, port) = host.rsplit_once(':').ok_or_else(|| refuse("a host without a port"))?;
            if name.is_empty() || port.parse::<u16>().is_err() {
                return Err(refuse("a malformed host or port"));
            }
        }
        let encryption = if is_secure { Encryption::Tls(authority) } else { Encryption::Clear };
        match elsewhere(hosts) {
            Some(host) if encryption == Encryption::Clear && !is_insecure => {
                Err(AddressError::InClear { text: text.to_owned(), host: host.to_owned() })
            }
            _ => Ok(Self::ZooKeeper { hosts: hosts.to_owned(), encryption }),
        }
    }

    /// Returns the same address with servers whose certificates come from `authority`. `None` if it is not encrypted.
    pub fn trusting(self, authority: Authority) -> Option<Self> {
        match self {
            Self::ZooKeeper { hosts, encryption: Encryption::Tls(_) } => {
                Some(Self::ZooKeeper { hosts, encryption: Encryption::Tls(authority) })
            }
            _ => None,
        }
    }

    /// The authorities of its servers' certificates. Empty if it is not encrypted.
    ///
    /// # Errors
    /// The authority's file cannot be used.
    pub fn authorities(&self) -> Result<Vec<AuthorityId>, AuthorityError> {
        match self {
            Self::ZooKeeper { encryption: Encryption::Tls(authority), .. } => authority.ids(),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether `text` is an address of the same data space, as far as addresses show: a socket at the same path, or a
    /// ZooKeeper with the same type of connection, if both name one of its members.
    pub fn is_also(&self, text: &str) -> bool {
        let Ok(other) = Self::read(text, true) else { return false };
        match (self, &other) {
            (Self::Socket(one), Self::Socket(other)) => one == other,
            (Self::ZooKeeper { hosts: one, encryption }, Self::ZooKeeper { hosts: other, encryption: theirs }) => {
                let is_clear = |encryption: &Encryption| *encryption == Encryption::Clear;
                let is_named = |host: &str| other.split(',').any(|other| other.eq_ignore_ascii_case(host));
                is_clear(encryption) == is_clear(theirs) && one.split(',').any(is_named)
            }
            _ => false,
        }
    }

    /// The form of the address for servers: without files of this machine, and with the certificates of the authority
    /// in PEM, which are empty if the servers' system knows it.
    ///
    /// # Errors
    /// The authority's file cannot be used.
    pub fn for_servers(&self) -> Result<(String, String), AuthorityError> {
        match self {
            Self::ZooKeeper { hosts, encryption: Encryption::Tls(authority) } => {
                let bare = Self::ZooKeeper { hosts: hosts.clone(), encryption: Encryption::Tls(Authority::System) };
                Ok((bare.to_string(), authority.certificates()?.unwrap_or_default()))
            }
            address => Ok((address.to_string(), String::new())),
        }
    }
}

/// The first of `hosts` that is another machine. A name counts as one, whatever it resolves to.
fn elsewhere(hosts: &str) -> Option<&str> {
    let names = hosts.split(',').map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    names.into_iter().find(|name| {
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        !(bare.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback()))
    })
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        Self::read(text, false)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZooKeeper { hosts, encryption: Encryption::Clear } => {
                let shown = if elsewhere(hosts).is_some() { "?insecure" } else { "" };
                write!(f, "zookeeper://{hosts}{shown}")
            }
            Self::ZooKeeper { hosts, encryption: Encryption::Tls(Authority::File(file)) } => {
                write!(f, "zookeeper+tls://{hosts}?ca={}", file.display())
            }
            Self::ZooKeeper { hosts, encryption: Encryption::Tls(_) } => write!(f, "zookeeper+tls://{hosts}"),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_clear_is_for_this_machine() {
        for text in [
            "zookeeper://127.0.0.1:2181",
            "zookeeper://127.8.0.9:1,localhost:2",
            "zookeeper://[::1]:2181",
            "zookeeper://10.0.0.5:2181?insecure",
            "zookeeper+tls://10.0.0.5:2281",
            "zookeeper+tls://zk1:2281?ca=/etc/ca.pem",
            "unix:/run/x",
        ] {
            assert_eq!(text.parse::<Address>().map(|address| address.to_string()), Ok(text.to_owned()));
        }
        for (text, elsewhere) in [
            ("zookeeper://10.0.0.5:2181", "10.0.0.5"),
            ("zookeeper://127.0.0.1:2181,zk2:2181", "zk2"),
            // What a name resolves to is not known.
            ("zookeeper://localhost.example.org:2181", "localhost.example.org"),
            ("zookeeper://127.1:2181", "127.1"),
            ("zookeeper://0.0.0.0:2181", "0.0.0.0"),
            ("zookeeper://[::]:2181", "[::]"),
            ("zookeeper://[::ffff:10.0.0.5]:2181", "[::ffff:10.0.0.5]"),
        ] {
            let refused = text.parse::<Address>().expect_err("in clear");
            assert_eq!(refused, AddressError::InClear { text: text.to_owned(), host: elsewhere.to_owned() });
            assert_eq!(refused.help().len(), 2);
            let allowed = Address::read(text, true).expect("allowed");
            // A reader of this address also sees that it is allowed.
            assert_eq!(allowed.to_string(), format!("{text}?insecure"));
            assert_eq!(allowed.to_string().parse::<Address>(), Ok(allowed));
        }
    }

    #[test]
    fn a_socket_is_written_as_it_is_read_again() {
        for (text, shown) in [
            ("unix:x", "unix:x"),
            ("unix://x", "unix:x"),
            ("unix:///run/x", "unix:/run/x"),
            ("unix://///run/x", "unix:/run/x"),
            ("unix:////", "unix:/"),
        ] {
            let address: Address = text.parse().expect("an address");
            assert_eq!(address.to_string(), shown);
            assert_eq!(shown.parse::<Address>(), Ok(address));
        }
    }

    #[test]
    fn options_are_of_their_kind() {
        for text in [
            "zookeeper://127.0.0.1:1?ca=x",
            "zookeeper+tls://zk1:1?insecure",
            "zookeeper+tls://zk1:1?ca=",
            "zookeeper+tls://zk1:1?insecure=yes",
            "zookeeper+tls://zk1",
            "zookeeper+tls://:1",
            "http://zk1:1",
            "unix:",
        ] {
            let refused = text.parse::<Address>().expect_err("malformed");
            assert!(matches!(refused, AddressError::Malformed { .. }), "{refused}");
        }
    }
}
