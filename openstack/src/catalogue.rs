//! The service catalogue of a cloud.

use std::collections::BTreeSet;

use serde_json::Value;

/// Types of services and their former names, which catalogues still use. Source: the service types authority.
const TYPES: [(&str, &[&str]); 12] = [
    ("block-storage", &["block-store", "volume", "volumev3", "volumev2"]),
    ("compute", &[]),
    ("dns", &[]),
    ("identity", &[]),
    ("image", &[]),
    ("key-manager", &[]),
    ("load-balancer", &[]),
    ("network", &[]),
    ("object-store", &[]),
    ("orchestration", &[]),
    ("placement", &[]),
    ("shared-file-system", &["sharev2", "share"]),
];

/// The service catalogue of a cloud.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    endpoints: Vec<Endpoint>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Endpoint {
    service: String,
    interface: String,
    region: String,
    url: String,
}

impl Catalogue {
    /// Reads the `catalog` of a token. Malformed entries are skipped.
    pub fn read(catalog: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let endpoints = catalog.as_array().into_iter().flatten().flat_map(|service| {
            service["endpoints"].as_array().into_iter().flatten().map(move |endpoint| Endpoint {
                service: text(&service["type"]),
                interface: text(&endpoint["interface"]),
                region: text(endpoint.get("region_id").unwrap_or(&endpoint["region"])),
                url: text(&endpoint["url"]).trim_end_matches('/').to_owned(),
            })
        });
        Self { endpoints: endpoints.filter(|endpoint| endpoint.url.contains("://")).collect() }
    }

    /// The URL of the service of this type, in the given region if any. Both the present and the former names of a
    /// service match.
    pub fn url(&self, service: &str, interface: &str, region: Option<&str>) -> Option<&str> {
        let former = TYPES.iter().find(|(now, _)| *now == service).map_or(&[][..], |(_, former)| former);
        let is_right = |endpoint: &&Endpoint| {
            endpoint.interface == interface && region.is_none_or(|region| endpoint.region == region)
        };
        std::iter::once(service).chain(former.iter().copied()).find_map(|name| {
            self.endpoints
                .iter()
                .filter(is_right)
                .find(|endpoint| endpoint.service == name)
                .map(|found| found.url.as_str())
        })
    }

    /// The types of the available services, by their present names, each once.
    pub fn services(&self) -> Vec<String> {
        let now = |name: &str| {
            TYPES.iter().find(|(_, former)| former.contains(&name)).map_or(name, |(now, _)| now).to_owned()
        };
        let services: BTreeSet<String> = self.endpoints.iter().map(|endpoint| now(&endpoint.service)).collect();
        services.into_iter().collect()
    }

    /// The available regions, each once.
    pub fn regions(&self) -> Vec<String> {
        let regions = self.endpoints.iter().map(|endpoint| endpoint.region.clone()).filter(|region| !region.is_empty());
        regions.collect::<BTreeSet<_>>().into_iter().collect()
    }
}
