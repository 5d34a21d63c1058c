//! Versions of services: the one in a URL, and the microversion in a header.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::Response;

/// A version in the form that services use: `2.79`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number that changes with incompatible APIs.
    pub major: u16,
    /// The number that grows with additions.
    pub minor: u16,
}

impl Version {
    /// Creates a version from its numbers.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
        Ok(Self { major: major.parse().map_err(drop)?, minor: minor.parse().map_err(drop)? })
    }
}

/// The oldest and the newest version that a service supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The oldest.
    pub least: Version,
    /// The newest.
    pub most: Version,
}

impl Range {
    /// Whether the range contains `version`.
    pub fn has(&self, version: Version) -> bool {
        self.least <= version && version <= self.most
    }

    /// Reads a service's response to a version request; `None` if it has no microversions.
    pub(crate) fn of(response: &Response) -> Option<Self> {
        Self::read(&serde_json::from_slice(&response.body).ok()?)
    }

    /// Reads the version document of a service: the version at that URL, or the newest of several.
    pub fn read(body: &Value) -> Option<Self> {
        let several = body["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let all = several.iter().chain(body.get("version")).filter_map(|said| {
            // Placement uses a different key.
            let most = said["version"].as_str().or_else(|| said["max_version"].as_str());
            let most = most.filter(|text| !text.is_empty())?.parse().ok()?;
            Some(Self { least: said["min_version"].as_str()?.parse().ok()?, most })
        });
        all.max_by_key(|range| range.most)
    }
}

/// The name of a service in the header `OpenStack-API-Version`.
pub(crate) fn header_name(service: &str) -> &str {
    if service == "block-storage" { "volume" } else { service }
}

/// The paths that are added to URLs without a version.
const PATHS: [(&str, &str); 6] = [
    ("block-storage", "/v3"),
    ("compute", "/v2.1"),
    ("image", "/v2"),
    ("load-balancer", "/v2.0"),
    ("network", "/v2.0"),
    ("orchestration", "/v1"),
];

/// The URL of a service including its version, which catalogues omit for some services.
pub(crate) fn base(service: &str, url: &str) -> String {
    let path = PATHS.iter().find(|(known, _)| *known == service).map(|(_, path)| *path);
    match path {
        Some(path) if at(url).is_none() => format!("{url}{path}"),
        _ => url.to_owned(),
    }
}

/// The URL of a service up to its version, which serves the version document.
pub(crate) fn root(url: &str) -> String {
    let end = at(url).unwrap_or(url.len());
    format!("{}/", &url[..end])
}

/// The offset of the version segment of the path: `/v2.1`.
fn at(url: &str) -> Option<usize> {
    let path = url.find("://").map_or(0, |at| at + 3);
    let mut end = path;
    for part in url[path..].split('/') {
        let start = end;
        end = start + part.len();
        let is_version = part.strip_prefix('v').is_some_and(|number| {
            number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || c == '.')
        });
        if is_version && start > path {
            return Some(end);
        }
        end += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_version() {
        assert_eq!(base("network", "http://cloud:9696"), "http://cloud:9696/v2.0");
        assert_eq!(base("network", "http://cloud/networking/v2.0"), "http://cloud/networking/v2.0");
        assert_eq!(base("block-storage", "http://v3.example/volume/v3/abc"), "http://v3.example/volume/v3/abc");
        assert_eq!(base("image", "http://v2"), "http://v2/v2", "a host is no version");
        assert_eq!(base("rating", "http://cloud:1"), "http://cloud:1");
    }

    #[test]
    fn a_service_says_its_versions_where_its_version_begins() {
        assert_eq!(root("http://cloud/volume/v3/0123abc"), "http://cloud/volume/v3/");
        assert_eq!(root("http://cloud:8774/v2.1"), "http://cloud:8774/v2.1/");
        assert_eq!(root("http://cloud:8778"), "http://cloud:8778/");
    }

    #[test]
    fn versions_are_read_in_both_forms() {
        let nova = serde_json::json!({ "version": { "id": "v2.1", "version": "2.96", "min_version": "2.1" } });
        let range = Range { least: Version::new(2, 1), most: Version::new(2, 96) };
        assert_eq!(Range::read(&nova), Some(range));
        assert!(range.has(Version::new(2, 9)) && !range.has(Version::new(2, 97)), "2.9 is older than 2.96");
        let cinder = serde_json::json!({ "versions": [
            { "id": "v2.0", "version": "", "min_version": "" },
            { "id": "v3.0", "version": "3.71", "min_version": "3.0" },
        ] });
        assert_eq!(Range::read(&cinder).map(|range| range.most), Some(Version::new(3, 71)));
        let placement =
            serde_json::json!({ "versions": [{ "id": "v1.0", "max_version": "1.39", "min_version": "1.0" }] });
        assert_eq!(Range::read(&placement).map(|range| range.most), Some(Version::new(1, 39)));
        assert_eq!(Range::read(&serde_json::json!({})), None);
    }
}
