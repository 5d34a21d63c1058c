//! Pagination of lists.

use serde_json::Value;

use crate::fault::origin;

/// The URL of the next page. Nova, Neutron, Cinder and Octavia give it in `KEY_links`, Glance in `next`, Keystone in `links`.
///
/// The host is always that of `page`: behind a proxy, a service may not know its public address.
pub(crate) fn next(key: &str, page: &Value, url: &str) -> Option<String> {
    let links = page[format!("{key}_links")].as_array();
    let linked = links.into_iter().flatten().find(|link| link["rel"] == "next").and_then(|link| link["href"].as_str());
    let next = linked.or_else(|| page["next"].as_str()).or_else(|| page["links"]["next"].as_str())?;
    let path = next.strip_prefix(origin(next)).unwrap_or(next);
    if next.starts_with('/') { Some(format!("{}{next}", origin(url))) } else { Some(rebased(path, url)) }
}

/// Moves `path` to the host of `url`. A proxy may have added a prefix to the path; the suffix that both have in common
/// reveals it.
fn rebased(path: &str, url: &str) -> String {
    let own = url.strip_prefix(origin(url)).unwrap_or(url);
    let own = own.split('?').next().unwrap_or(own);
    let (target, query) = path.split_once('?').unwrap_or((path, ""));
    // Both paths are of the same list, so they end alike. Anything before that is the proxy's prefix.
    let path = if own.ends_with(target) { own } else { target };
    format!("{}{path}?{query}", origin(url))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_service_says_it_in_its_way() {
        let nova =
            json!({ "servers": [], "servers_links": [{ "rel": "next", "href": "http://nova/v2.1/servers?marker=7" }] });
        assert_eq!(
            next("servers", &nova, "http://nova/v2.1/servers").as_deref(),
            Some("http://nova/v2.1/servers?marker=7")
        );
        let glance = json!({ "images": [], "next": "/v2/images?marker=7" });
        assert_eq!(
            next("images", &glance, "http://glance/v2/images?limit=1").as_deref(),
            Some("http://glance/v2/images?marker=7")
        );
        assert_eq!(next("servers", &json!({ "servers": [] }), "http://nova/v2.1/servers"), None);
        let last = json!({ "ports": [], "ports_links": [{ "rel": "previous", "href": "http://neutron/v2.0/ports?marker=1" }] });
        assert_eq!(next("ports", &last, "http://neutron/v2.0/ports"), None);
    }

    #[test]
    fn a_service_behind_a_proxy_does_not_know_its_name() {
        let page =
            json!({ "servers_links": [{ "rel": "next", "href": "http://10.0.0.1:8774/v2.1/servers?marker=7" }] });
        let url = "https://cloud.example/compute/v2.1/servers?limit=1";
        assert_eq!(next("servers", &page, url).as_deref(), Some("https://cloud.example/compute/v2.1/servers?marker=7"));
    }
}
