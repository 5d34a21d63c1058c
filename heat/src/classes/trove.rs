//! Trove's types.

use crate::evaluate::Value;
use crate::resource::values::{has, items, key, map};
use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Trove::Cluster", validates: &[members], ..Class::PLAIN },
    Class {
        ty: "OS::Trove::Instance",
        validates: &[databases, |subject| nics(&subject.own("networks")?)],
        ..Class::PLAIN
    },
];

fn members(subject: Subject<'_>) -> Ruled {
    for member in items(&subject.own("instances")?) {
        if let Some(found) = nics(key(member, "networks"))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A network or a port each.
fn nics(networks: &Value) -> Ruled {
    for network in items(networks) {
        let network = map(network.clone());
        if has(&network, "network") == has(&network, "port") {
            return broken("one of `networks` is a `network` or a `port`", "give one of them");
        }
    }
    Ok(None)
}

fn databases(subject: Subject<'_>) -> Ruled {
    let known: Vec<Value> =
        subject.maps("databases")?.into_iter().filter_map(|mut database| database.swap_remove("name")).collect();
    for user in subject.maps("users")? {
        if known.is_empty() {
            return broken("`users` need `databases`", "give some");
        }
        let Some(Value::List(own)) = user.get("databases") else { continue };
        if let Some(unknown) = own.iter().find(|name| !known.contains(name)) {
            return broken(format!("there is no database `{}`", unknown.python().escape_debug()), "declare it");
        }
    }
    Ok(None)
}
