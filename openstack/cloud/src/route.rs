//! Parses the URLs of requests.

use std::collections::BTreeMap;

use crate::reply::Service;

/// Paths of the services on the cloud's host.
pub(crate) const PATHS: [(Service, &str, &str); 6] = [
    (Service::Keystone, "identity", "/identity"),
    (Service::Nova, "compute", "/compute/v2.1"),
    (Service::Neutron, "network", "/networking"),
    (Service::Cinder, "block-storage", "/volume/v3"),
    (Service::Glance, "image", "/image"),
    (Service::Placement, "placement", "/placement"),
];

/// The types of services in the catalogue that a cloud may lack.
pub fn services() -> impl Iterator<Item = &'static str> {
    PATHS.iter().filter(|(service, ..)| *service != Service::Keystone).map(|(_, kind, _)| *kind)
}

/// The parts of a URL.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) service: Service,
    /// Segments of the path after the service's prefix, decoded.
    pub(crate) path: Vec<String>,
    /// The query: each key with its values.
    pub(crate) query: BTreeMap<String, Vec<String>>,
}

impl Route {
    /// Parses a URL; `None` if it belongs to no service.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let start = url.find("://").map_or(0, |at| at + 3);
        let path = &url[start..][url[start..].find('/')?..];
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let (service, rest) = PATHS.iter().find_map(|(service, _, prefix)| {
            let rest = path.strip_prefix(prefix)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((*service, rest))
        })?;
        let path = rest.split('/').filter(|part| !part.is_empty()).map(decoded).collect();
        let mut queried: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            queried.entry(decoded(key)).or_default().push(decoded(value));
        }
        Some(Self { service, path, query: queried })
    }

    pub(crate) fn parts(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// The first value of a key of the query.
    pub(crate) fn asked(&self, key: &str) -> Option<&str> {
        self.query.get(key).and_then(|values| values.first()).map(String::as_str)
    }
}

/// Decodes `%` and `+`.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}
