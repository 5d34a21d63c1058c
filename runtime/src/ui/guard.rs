//! Who may look.

use std::net::IpAddr;

use hyper::Uri;
use sha2::{Digest as _, Sha256};

/// What a URL must contain: 256 random bits.
#[derive(Clone, Debug)]
pub(super) struct Token(String);

impl Token {
    pub(super) fn generate() -> Self {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).expect("INVARIANT: the system has random numbers once it has booted");
        Self(wattle_agent_core::hex(&bytes))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `uri` has it as its parameter `token`. The time that this takes does not reveal where they differ.
    pub(super) fn is_in(&self, uri: &Uri) -> bool {
        let given = parameter(uri, "token").unwrap_or_default();
        let (ours, theirs) = (Sha256::digest(&self.0), Sha256::digest(given));
        std::hint::black_box(ours.iter().zip(theirs).fold(0, |differ, (a, b)| differ | (a ^ b))) == 0
    }
}

/// A parameter of a URL, decoded.
pub(super) fn parameter(uri: &Uri, name: &str) -> Option<String> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.into_iter().find(|(key, _)| *key == name)?;
    decoded(value)
}

/// Decodes percent-encoding (RFC 3986, section 2.1). `None` if the result is not text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(if byte == b'%' { digit()? * 16 + digit()? } else { byte });
    }
    String::from_utf8(bytes).ok()
}

/// Whether a browser that writes `host` into the header `Host` means this server, which listens on `own`. A page of
/// another site can make its own name lead here (DNS rebinding), but cannot make its browser write another name. Ports
/// are not compared, because a tunnel (`ssh -L`) has another one.
pub(super) fn is_own(host: &str, own: IpAddr) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    match name.parse::<IpAddr>() {
        Ok(address) => address == own || address.is_loopback() || own.is_unspecified(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let token = Token::generate();
        let holds = |query: &str| token.is_in(&format!("/events{query}").parse().unwrap());
        let ours = token.as_str().to_owned();
        assert_eq!(ours.len(), 64);
        assert!(holds(&format!("?token={ours}")));
        assert!(holds(&format!("?component=a&token={ours}")));
        for wrong in
            [String::new(), "?".into(), "?token=".into(), format!("?token={}", &ours[1..]), format!("?token={ours}0")]
        {
            assert!(!holds(&wrong), "{wrong}");
        }
        assert_ne!(Token::generate().as_str(), ours);
    }

    #[test]
    fn parameters_are_decoded() {
        let get = |query: &str| parameter(&format!("/log?{query}").parse().unwrap(), "component");
        assert_eq!(get("x=1&component=db%2Fpostgres"), Some("db/postgres".into()));
        assert_eq!(get("component=%C3%A9"), Some("é".into()));
        for wrong in ["", "component", "component=%2", "component=%zz", "component=%ff"] {
            assert_eq!(get(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_of_other_sites_are_not_ours() {
        let own = IpAddr::from([127, 0, 0, 1]);
        for host in ["127.0.0.1", "127.0.0.1:80", "localhost:9", "LOCALHOST", "[::1]:80", "127.0.0.9:1"] {
            assert!(is_own(host, own), "{host}");
        }
        for host in
            ["", "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "["]
        {
            assert!(!is_own(host, own), "{host}");
        }
        assert!(is_own("10.0.0.1:8000", IpAddr::from([10, 0, 0, 1])));
        assert!(is_own("10.0.0.1:8000", IpAddr::from([0, 0, 0, 0])));
        assert!(!is_own("evil.example", IpAddr::from([0, 0, 0, 0])));
    }
}
