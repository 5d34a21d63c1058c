//! Heat's named constraints that depend only on the value (`heat.engine.constraint.common_constraints`).

use regex_lite::Regex;

use super::constraint::{is_address, is_address_or_network, is_mac, is_network};
use super::cron::is_cron;
use super::zone::is_zone;

/// The names of Heat's named constraints (`heat.constraints` among its entry points), sorted. A cloud may have more.
pub const NAMED_CONSTRAINTS: [&str; 70] = [
    "barbican.container",
    "barbican.secret",
    "blazar.reservation",
    "cinder.backup",
    "cinder.qos_specs",
    "cinder.snapshot",
    "cinder.volume",
    "cinder.vtype",
    "cron_expression",
    "designate.zone",
    "dns_domain",
    "dns_name",
    "expiration",
    "glance.image",
    "ip_addr",
    "ip_or_cidr",
    "ironic.node",
    "ironic.portgroup",
    "iso_8601",
    "json_string",
    "keystone.domain",
    "keystone.group",
    "keystone.project",
    "keystone.region",
    "keystone.role",
    "keystone.service",
    "keystone.user",
    "mac_addr",
    "magnum.cluster_template",
    "manila.share_network",
    "manila.share_snapshot",
    "manila.share_type",
    "mistral.workflow",
    "net_cidr",
    "neutron.address_scope",
    "neutron.flow_classifier",
    "neutron.lbaas.listener",
    "neutron.lbaas.loadbalancer",
    "neutron.lbaas.pool",
    "neutron.lbaas.provider",
    "neutron.network",
    "neutron.port",
    "neutron.port_pair",
    "neutron.port_pair_group",
    "neutron.qos_policy",
    "neutron.router",
    "neutron.security_group",
    "neutron.segment",
    "neutron.subnet",
    "neutron.subnetpool",
    "neutron.taas.tap_flow",
    "neutron.taas.tap_service",
    "nova.flavor",
    "nova.host",
    "nova.keypair",
    "nova.network",
    "nova.server",
    "octavia.availabilityzone",
    "octavia.availabilityzoneprofile",
    "octavia.flavor",
    "octavia.flavorprofile",
    "octavia.l7policy",
    "octavia.listener",
    "octavia.loadbalancer",
    "octavia.pool",
    "rel_dns_name",
    "test_constr",
    "timezone",
    "trove.flavor",
    "zaqar.queue",
];

/// The maximum length of a domain name, as Heat counts it.
const LONGEST: usize = 255;

/// Why `text` violates Heat's constraint with this name. Constraints that depend on the cloud or a clock are assumed
/// to be satisfied.
pub fn broken_named(name: &str, text: &str) -> Option<String> {
    let (holds, what): (fn(&str) -> bool, _) = match name {
        "ip_addr" => (is_address, "an IP address"),
        "net_cidr" => (is_network, "a network such as 10.0.0.0/24"),
        "ip_or_cidr" => (is_address_or_network, "an IP address or a network such as 10.0.0.0/24"),
        "mac_addr" => (is_mac, "a MAC address such as fa:16:3e:00:00:01"),
        "dns_name" => (is_domain, "a domain name such as db.example.org"),
        "dns_domain" => (is_whole_domain, "a domain name with a dot at its end, such as example.org."),
        "rel_dns_name" => (is_relative_name, "a domain name without a dot at its end, such as db.example"),
        "json_string" => (is_json, "JSON"),
        "iso_8601" => (is_time, "a time such as 2030-01-31T12:00:00Z"),
        "expiration" => (is_expiration, "a time such as 2030-01-31T12:00:00Z"),
        "timezone" => (is_zone, "a time zone such as Europe/Berlin"),
        "cron_expression" => (is_cron, "a cron expression such as `0 4 * * *`"),
        _ => return None,
    };
    (!holds(text)).then(|| format!("`{}` is not {what}", text.escape_debug()))
}

/// `heat.common.netutils.validate_dns_format`.
fn is_domain(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let trimmed = text.strip_suffix('.').unwrap_or(text);
    let labels: Vec<_> = trimmed.split('.').collect();
    let is_label = |label: &&str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let numeric_end = labels.last().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    trimmed.len() <= LONGEST && labels.iter().all(is_label) && !(text.ends_with('.') && labels.len() > 1 && numeric_end)
}

fn is_whole_domain(text: &str) -> bool {
    text.is_empty() || (is_domain(text) && text.ends_with('.'))
}

fn is_relative_name(text: &str) -> bool {
    text.is_empty() || (!text.ends_with('.') && text.chars().count() <= LONGEST - 3 && is_domain(text))
}

fn is_json(text: &str) -> bool {
    text.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The module iso8601 requires a year at the beginning. The rest is left to Heat.
fn is_time(text: &str) -> bool {
    Regex::new(r"^[0-9]{4}(-?[0-9]{1,2}(-?[0-9]{1,2}([ T].*)?)?)?").is_ok_and(|regex| regex.is_match(text))
}

fn is_expiration(text: &str) -> bool {
    text.is_empty() || is_time(text.trim())
}

#[cfg(test)]
mod tests {
    use super::broken_named;

    #[test]
    fn values_are_judged_by_the_constraints_that_need_no_cloud() {
        for (name, fine, wrong) in [
            ("dns_name", &["db", "db.example.org.", "1.2", ""][..], &["a b", "-a", "a..b", "A.b", "a.1."][..]),
            ("dns_domain", &["example.org.", ""], &["example.org"]),
            ("rel_dns_name", &["db.example"], &["db.example."]),
            ("json_string", &["[1]", ""], &["x"]),
            ("iso_8601", &["2030-01-31T12:00:00Z", "2030"], &["x", "PT10M"]),
            ("expiration", &[" 2030-01-31T12:00:00Z", ""], &["x"]),
            ("cron_expression", &["0 4 * * *", "@daily", ""], &["x", "60 4 * * *"]),
            (
                "timezone",
                &["Europe/Berlin", "UTC", "Etc/GMT+3", "America/Argentina/Ushuaia", "posix/Asia/Tokyo", ""],
                &["Mars", "Europe/Berlinn", "europe/berlin", "Europe", "posix/", "zone.tab"],
            ),
            ("glance.image", &["anything"], &[]),
        ] {
            for text in fine {
                assert_eq!(broken_named(name, text), None, "{name}: {text}");
            }
            for text in wrong {
                assert!(broken_named(name, text).is_some(), "{name}: {text}");
            }
        }
    }
}
