//! Every kind of request of the driver is sent to both clouds.

use std::collections::BTreeSet;

use super::script::{Step, steps};
use crate::kind::{action, without_names};
use crate::{leaves, life, near};

#[test]
fn all_that_the_driver_asks_is_compared() {
    let stage = near::Stage::new();
    life::comes_and_goes(&stage);
    life::differs_and_is_put_right(&stage);
    life::is_seen_behind_its_back(&stage);
    leaves::leaves_and_goes_back(&stage);
    let asked: BTreeSet<String> = stage.asked().iter().filter_map(|asked| of_asked(asked)).collect();
    assert!(asked.len() > 60, "{asked:?}");
    let compared: BTreeSet<String> = steps().map(of_step).collect();
    let missing: Vec<&String> = asked.difference(&compared).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The services, and the prefixes of their URLs in the simulated cloud.
const SERVICES: [(&str, &str); 4] = [
    ("/compute/v2.1", "compute"),
    ("/networking/v2.0", "network"),
    ("/volume/v3", "block-storage"),
    ("/image/v2", "image"),
];

/// The kind of a request: the service, the method, the path with `*` in place of names, and the filters of a list.
/// `None` for a login.
fn of_asked(asked: &str) -> Option<String> {
    let mut parts = asked.split(' ');
    let (method, url, action) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let (path, service) = SERVICES.iter().find_map(|(base, service)| Some((url.strip_prefix(base)?, *service)))?;
    // Cinder's URLs begin with the project.
    let path = if service == "block-storage" { path[1..].find('/').map_or("", |end| &path[1 + end..]) } else { path };
    (!path.is_empty() && path != "/").then(|| kind(service, method, path, action))
}

fn of_step(step: &Step) -> String {
    kind(step.service, step.method.as_str(), step.path, action(step.path, step.body))
}

fn kind(service: &str, method: &str, path: &str, action: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let pages = ["limit", "marker", "fields"];
    let keys: BTreeSet<&str> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    let keys: Vec<&str> = keys.into_iter().filter(|key| !key.is_empty() && !pages.contains(key)).collect();
    let shown = [method, service, &without_names(path), &keys.join("&"), action];
    shown.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
