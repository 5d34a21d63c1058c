//! Trove's types.

use crate::evaluate::Value;
use crate::resource::values::{has, items, key, map};
use crate::resource::{Change, Class, Given, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Trove::Cluster", validates: &[members], ..Class::PLAIN },
    Class {
        ty: "OS::Trove::Instance",
        validates: &[databases, |subject| nics(&subject.own("networks")?)],
        notes: instance_in_place,
        ..Class::PLAIN
    },
];

/// Databases and users that are no longer listed are deleted in the instance. Another flavor resizes its server.
fn instance_in_place(change: &Change<'_>) -> Vec<String> {
    let names = |given: Given<'_>, property| -> Vec<String> {
        let listed = given.value(property).map(items).unwrap_or_default();
        listed.iter().filter_map(|one| Some(key(one, "name").as_text()?.to_owned())).collect()
    };
    let mut notes = Vec::new();
    if change.has("flavor") {
        notes.push("Trove resizes the instance: its database is down in the meantime".to_owned());
    }
    for (property, what) in [("databases", "with all its contents"), ("users", "and can no longer log in")] {
        let kept = names(change.after, property);
        for gone in names(change.before, property).iter().filter(|name| change.has(property) && !kept.contains(name)) {
            notes.push(format!("`{}` of `{property}` is deleted, {what}", gone.escape_debug()));
        }
    }
    notes
}

fn members(subject: Subject<'_>) -> Ruled {
    for member in items(&subject.own("instances")?) {
        if let Some(found) = nics(key(member, "networks"))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Each entry is either a network or a port.
fn nics(networks: &Value) -> Ruled {
    for network in items(networks) {
        let network = map(network.clone());
        if has(&network, "network") == has(&network, "port") {
            return broken("each of `networks` needs a `network` or a `port`", "set one of them");
        }
    }
    Ok(None)
}

fn databases(subject: Subject<'_>) -> Ruled {
    let known: Vec<Value> =
        subject.maps("databases")?.into_iter().filter_map(|mut database| database.swap_remove("name")).collect();
    for user in subject.maps("users")? {
        if known.is_empty() {
            return broken("`users` need `databases`", "add some");
        }
        let Some(Value::List(own)) = user.get("databases") else { continue };
        if let Some(unknown) = own.iter().find(|name| !known.contains(name)) {
            return broken(format!("there is no database `{}`", unknown.python().escape_debug()), "declare it");
        }
    }
    Ok(None)
}
