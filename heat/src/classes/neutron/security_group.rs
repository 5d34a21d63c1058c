//! Security groups and their rules.

use crate::evaluate::Value;
use crate::resource::{Change, Class, Ruled, Subject};

use super::super::rule::broken;
use super::base::NEUTRON;

pub(super) const CLASSES: &[Class] = &[
    Class {
        ty: "OS::Neutron::SecurityGroup",
        validates: &[group],
        needed: &["description", "stateful"],
        notes: stateful,
        ..NEUTRON
    },
    Class { ty: "OS::Neutron::SecurityGroupRule", validates: &[rule], clashes: same_rule, ..NEUTRON },
];

/// Heat asks Neutron for the ports that use the group (`_ensure_stateful_update_allowed`).
fn stateful(change: &Change<'_>) -> Vec<String> {
    let note = || "Heat refuses to change `stateful` as long as a port has the group";
    change.has("stateful").then(|| note().to_owned()).into_iter().collect()
}

/// Two rules that differ only in their descriptions are the same rule to Neutron.
fn same_rule(change: &Change<'_>) -> Option<&'static str> {
    change.changed.iter().all(|name| *name == "description").then_some("rule for the same traffic")
}

fn group(subject: Subject<'_>) -> Ruled {
    if subject.text("name")? == "default" {
        return broken("a group cannot be named `default`", "rename it");
    }
    Ok(None)
}

fn rule(subject: Subject<'_>) -> Ruled {
    if subject.has("remote_group")? && subject.has("remote_ip_prefix")? {
        return broken("`remote_group` and `remote_ip_prefix` exclude each other", "remove one of them");
    }
    let (Value::Integer(max), Value::Integer(min)) = (subject.own("port_range_max")?, subject.own("port_range_min")?)
    else {
        return Ok(None);
    };
    if max < min && !matches!(&*subject.text("protocol")?, "icmp" | "icmpv6" | "ipv6-icmp") {
        return broken("`port_range_min` is greater than `port_range_max`", "swap them");
    }
    Ok(None)
}
