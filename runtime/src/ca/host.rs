//! The names by which clients reach a server.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use rustls::pki_types::DnsName;

/// A name or an address by which clients reach a server, and for which its certificate must be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A DNS name, in lower case.
    Name(String),
    /// An IP address.
    Address(IpAddr),
}

/// Why a text is not a valid host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a certificate cannot be for `{text}`: {why}")]
pub struct HostError {
    /// The text.
    pub text: String,
    /// The reason.
    pub why: &'static str,
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let refuse = |why| Err(HostError { text: text.to_owned(), why });
        if let Ok(address) = text.parse::<IpAddr>() {
            return match address {
                _ if address.is_unspecified() => {
                    refuse("no client connects to this address; name the one that clients use")
                }
                _ if address.is_multicast() => refuse("it is an address of many machines"),
                _ => Ok(Self::Address(address)),
            };
        }
        if text.is_empty() {
            return refuse("it is empty");
        }
        if !text.is_ascii() {
            return refuse("write the name as in DNS (`xn--...`)");
        }
        if text.contains('*') {
            return refuse("one key would stand for many servers; name each server");
        }
        if text.contains("://") {
            return refuse("it is a URL; write only its host");
        }
        if text.contains('/') {
            return refuse("it is a network or a path; write one host");
        }
        if text.contains(['[', ']', '%']) {
            return refuse("write an address without brackets, port or zone");
        }
        if text.contains(':') {
            return refuse("write the host without a port");
        }
        let name = text.to_ascii_lowercase();
        let last = name.rsplit('.').next().unwrap_or_default();
        if last.is_empty() {
            return refuse("leave out the dot at its end");
        }
        if last.bytes().all(|byte| byte.is_ascii_digit()) {
            return refuse("it looks like an address, and is not one");
        }
        match DnsName::try_from(name.as_str()) {
            Ok(_) if !name.contains('_') => Ok(Self::Name(name)),
            _ => refuse("a name has letters, digits and hyphens, in labels of up to 63 with a dot between them"),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_told_apart() {
        let shown = |text: &str| text.parse::<Host>().map(|host| host.to_string());
        assert_eq!(shown("ZK1.Example.com").unwrap(), "zk1.example.com");
        assert_eq!("10.0.0.5".parse(), Ok(Host::Address([10, 0, 0, 5].into())));
        assert_eq!(shown("FD00:0::1").unwrap(), "fd00::1");
        assert_eq!(shown("localhost").unwrap(), "localhost");
        assert_eq!(shown("xn--bcher-kva.example").unwrap(), "xn--bcher-kva.example");
    }

    #[test]
    fn what_nobody_asks_for_is_refused_with_what_to_write() {
        for (text, why) in [
            ("", "empty"),
            ("*.example.com", "each server"),
            ("zk1:2281", "without a port"),
            ("10.0.0.5:2281", "without a port"),
            ("[fd00::1]", "without brackets"),
            ("fe80::1%eth0", "zone"),
            ("zookeeper+tls://zk1", "URL"),
            ("10.0.0.0/24", "one host"),
            ("10.0.0", "looks like an address"),
            ("10.0.0.256", "looks like an address"),
            ("0.0.0.0", "no client connects"),
            ("::", "no client connects"),
            ("224.0.0.1", "many machines"),
            ("zk1.", "dot at its end"),
            ("zk1,zk2", "letters, digits"),
            ("zk 1", "letters, digits"),
            ("zk_1", "letters, digits"),
            ("-zk", "letters, digits"),
            ("zk..example.com", "letters, digits"),
            ("a\nb", "letters, digits"),
            ("b\u{fc}cher.example", "xn--"),
        ] {
            let refused = text.parse::<Host>().expect_err(text);
            assert!(refused.why.contains(why), "{text:?}: {refused}");
        }
        assert!("a".repeat(64).parse::<Host>().is_err());
        assert!(format!("{}b", "a.".repeat(127)).parse::<Host>().is_err());
    }
}
