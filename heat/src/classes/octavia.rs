//! Octavia's types.

use crate::evaluate::Value;
use crate::resource::values::{map, true_of};
use crate::resource::{Class, Ruled, Subject};

use super::neutron::value_specs;
use super::rule::{broken, one_of, quota};

/// An Octavia class without behaviour of its own.
pub(super) const OCTAVIA: Class = Class { validates: &[value_specs], ..Class::PLAIN };

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Octavia::L7Policy", validates: &[policy], ..OCTAVIA },
    Class { ty: "OS::Octavia::L7Rule", validates: &[rule], ..OCTAVIA },
    Class { ty: "OS::Octavia::Listener", validates: &[listener], ..OCTAVIA },
    Class { ty: "OS::Octavia::Pool", validates: &[pool], ..OCTAVIA },
    Class { ty: "OS::Octavia::Quota", validates: &[quota], ..OCTAVIA },
];

fn policy(subject: Subject<'_>) -> Ruled {
    let (pool, url) = (subject.has("redirect_pool")?, subject.has("redirect_url")?);
    match &*subject.text("action")? {
        "REJECT" if pool || url => broken("REJECT takes no `redirect_pool` or `redirect_url`", "remove them"),
        "REDIRECT_TO_POOL" if url || !pool => {
            broken("REDIRECT_TO_POOL takes a `redirect_pool` and no `redirect_url`", "set it")
        }
        "REDIRECT_TO_URL" if pool || !url => {
            broken("REDIRECT_TO_URL takes a `redirect_url` and no `redirect_pool`", "set it")
        }
        _ => Ok(None),
    }
}

fn rule(subject: Subject<'_>) -> Ruled {
    if matches!(&*subject.text("type")?, "HEADER" | "COOKIE") && !subject.has("key")? {
        return broken("a rule for headers or cookies needs a `key`", "add one");
    }
    Ok(None)
}

fn listener(subject: Subject<'_>) -> Ruled {
    if subject.text("protocol")? == "TERMINATED_HTTPS" && !subject.has("default_tls_container_ref")? {
        return broken("TERMINATED_HTTPS needs `default_tls_container_ref`", "add one");
    }
    Ok(None)
}

fn pool(subject: Subject<'_>) -> Ruled {
    let persistence = subject.own("session_persistence")?;
    let items = map(persistence);
    let cookie = true_of(&items, "cookie_name");
    match items.get("type").and_then(Value::as_text) {
        Some("APP_COOKIE") if !cookie => broken("APP_COOKIE needs a `cookie_name`", "add one"),
        Some("SOURCE_IP") if cookie => broken("SOURCE_IP takes no `cookie_name`", "remove it"),
        _ => one_of(subject, ["listener", "loadbalancer"]),
    }
}
