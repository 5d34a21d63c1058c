//! Magnum's types.

use crate::evaluate::Value;
use crate::resource::{Change, Class, Given, Ruled, Subject};

use super::rule::broken;

/// The number of nodes and masters of a cluster if the template does not specify it.
const UNSAID: i128 = 1;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Magnum::BayModel", validates: &[cluster], ..Class::PLAIN },
    Class { ty: "OS::Magnum::Cluster", notes: fewer, ..Class::PLAIN },
    Class { ty: "OS::Magnum::ClusterTemplate", validates: &[cluster], ..Class::PLAIN },
];

/// The number that a property requests, if it is known.
fn count(given: Given<'_>, property: &str) -> Option<i128> {
    match given.value(property) {
        None | Some(Value::Null) => Some(UNSAID),
        Some(Value::Integer(count)) => Some(*count),
        Some(Value::Text(count)) => count.trim().parse().ok(),
        Some(_) => None,
    }
}

/// Magnum deletes the servers of surplus nodes, and chooses which ones.
fn fewer(change: &Change<'_>) -> Vec<String> {
    let gone = |(property, node): (&str, &str)| {
        let (before, after) = (count(change.before, property)?, count(change.after, property)?);
        let gone = before.checked_sub(after).filter(|gone| change.has(property) && *gone > 0)?;
        let (nodes, them) = if gone == 1 { (format!("one {node}"), "it") } else { (format!("{gone} {node}s"), "them") };
        Some(format!("Magnum deletes {nodes} of the cluster, with everything that is stored on {them}"))
    };
    [("node_count", "node"), ("master_count", "master")].into_iter().filter_map(gone).collect()
}

fn cluster(subject: Subject<'_>) -> Ruled {
    let (driver, engine) = (subject.text("volume_driver")?, subject.text("coe")?);
    let supported = if engine == "kubernetes" { "cinder" } else { "rexray" };
    if subject.has("volume_driver")? && driver != supported {
        return broken(format!("{engine} supports only the `volume_driver` {supported}"), "use that");
    }
    Ok(None)
}
