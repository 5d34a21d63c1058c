//! Ports.

use crate::properties::translation;
use crate::resource::{Class, Found, Subject};

use super::super::rule::not_both;
use super::base::{NEUTRON, PORT, SUBNET};

pub(super) const CLASSES: &[Class] = &[Class {
    ty: PORT,
    translates: &[translation(&["network"], &["network_id"]), translation(&["fixed_ips", "subnet"], &["subnet_id"])],
    depends: subnets,
    validates: &[|subject| not_both(subject, "fixed_ips", "no_fixed_ips")],
    ignores: &["replacement_policy"],
    always_replaced: |port| port.text("replacement_policy") == Some("REPLACE_ALWAYS"),
    ..NEUTRON
}];

/// All subnets of its network.
fn subnets(subject: Subject<'_>) -> Found<'_> {
    Ok(subject.others_with(SUBNET, "network", &subject.own("network")?))
}
