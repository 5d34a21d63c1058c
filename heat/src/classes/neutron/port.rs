//! Ports.

use crate::properties::translation;
use crate::resource::{Change, Class, Found, Subject};

use super::super::rule::not_both;
use super::base::{NEUTRON, PORT, SUBNET};

pub(super) const CLASSES: &[Class] = &[Class {
    ty: PORT,
    translates: &[translation(&["network"], &["network_id"]), translation(&["fixed_ips", "subnet"], &["subnet_id"])],
    depends: subnets,
    validates: &[|subject| not_both(subject, "fixed_ips", "no_fixed_ips")],
    ignores: &["replacement_policy"],
    needed: &["port_security_enabled", "dns_name"],
    notes: no_address,
    always_replaced: |port| port.text("replacement_policy") == Some("REPLACE_ALWAYS"),
    ..NEUTRON
}];

/// All subnets of its network.
fn subnets(subject: Subject<'_>) -> Found<'_> {
    Ok(subject.others_with(SUBNET, "network", &subject.own("network")?))
}

/// Without `no_fixed_ips`, Heat passes `fixed_ips` to Neutron only if there are any (`_prepare_port_properties`).
fn no_address(change: &Change<'_>) -> Vec<String> {
    let gets_none = change.has("no_fixed_ips")
        && change.after.boolean("no_fixed_ips") != Some(true)
        && change.after.value("fixed_ips").is_none();
    let note = || "this gives the port no address: set `fixed_ips`";
    gets_none.then(|| note().to_owned()).into_iter().collect()
}
