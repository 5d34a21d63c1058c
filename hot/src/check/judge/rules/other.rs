//! The services that few templates use.

use super::super::Subject;
use super::{Ruled, broken, first, not_both, one_of};

pub(super) fn rule(subject: Subject<'_>, ty: &str) -> Ruled {
    match ty {
        "OS::Barbican::Secret" => secret(subject),
        "OS::Barbican::Order" => order(subject),
        "OS::Designate::Zone" => zone(subject),
        "OS::Keystone::Group"
        | "OS::Keystone::GroupRoleAssignment"
        | "OS::Keystone::User"
        | "OS::Keystone::UserRoleAssignment" => roles(subject),
        "OS::Mistral::CronTrigger" => one_of(subject, &["pattern", "first_time"]),
        "OS::Mistral::Workflow" => workflow(subject),
        "OS::Trove::Cluster" | "OS::Trove::Instance" => instances(subject),
        _ => Ok(None),
    }
}

fn secret(subject: Subject<'_>) -> Ruled {
    let (ty, encoding) = (subject.text("payload_content_type")?, subject.is("payload_content_encoding")?);
    if !ty.is_empty() && !subject.is("payload")? {
        return broken("`payload_content_type` needs a `payload`", "give it one");
    }
    if ty == "application/octet-stream" && !encoding {
        return broken("application/octet-stream needs `payload_content_encoding`", "give it one");
    }
    if encoding && (ty.is_empty() || ty == "text/plain") {
        return broken("`payload_content_encoding` is for application/octet-stream", "take it away");
    }
    Ok(None)
}

fn order(subject: Subject<'_>) -> Ruled {
    if subject.text("type")? == "key" && !(subject.is("algorithm")? && subject.is("bit_length")?) {
        return broken("a key needs `algorithm` and `bit_length`", "give them");
    }
    Ok(None)
}

fn zone(subject: Subject<'_>) -> Ruled {
    match &*subject.text("type")? {
        "PRIMARY" if !subject.is("email")? => broken("a primary zone needs an `email`", "give it one"),
        "SECONDARY" if !subject.is("masters")? => broken("a secondary zone needs `masters`", "give it some"),
        _ => Ok(None),
    }
}

fn roles(subject: Subject<'_>) -> Ruled {
    for role in subject.maps("roles")? {
        let there = |key: &str| role.get(key).is_some_and(super::is_there);
        if there("project") && there("domain") {
            return broken("a role is of a `project` or of a `domain`", "take one of them away");
        }
        if !there("project") && !there("domain") {
            return broken("a role is of a `project` or of a `domain`", "give one of them");
        }
    }
    Ok(None)
}

fn workflow(subject: Subject<'_>) -> Ruled {
    for task in subject.maps("tasks")? {
        let there = |key: &str| task.get(key).is_some_and(super::is_there);
        if there("workflow") == there("action") {
            return broken("a task is a `workflow` or an `action`", "give one of them");
        }
    }
    Ok(None)
}

fn instances(subject: Subject<'_>) -> Ruled {
    first!(
        if subject.resource.class.name() == "OS::Trove::Instance" {
            not_both(subject, "restore_point", "replica_of")
        } else {
            Ok(None)
        },
        {
            let networks = if subject.resource.class.name() == "OS::Trove::Instance" {
                subject.maps("networks")?
            } else {
                Vec::new()
            };
            let both = networks.iter().any(|network| {
                network.get("network").is_some_and(super::is_there) == network.get("port").is_some_and(super::is_there)
            });
            if both { broken("a network is a `network` or a `port`", "give one of them") } else { Ok(None) }
        }
    )
}
