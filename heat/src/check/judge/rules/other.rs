//! The services that few templates use.

use crate::evaluate::Value;

use super::super::Subject;
use super::super::class::map;
use super::{Ruled, broken, first, one_of, true_of};

pub(super) fn rule(subject: Subject<'_>, ty: &str) -> Ruled {
    match ty {
        "OS::Barbican::Secret" => secret(subject),
        "OS::Barbican::Order" => order(subject),
        "OS::Barbican::GenericContainer" | "OS::Barbican::CertificateContainer" | "OS::Barbican::RSAContainer" => {
            container_of_secrets(subject)
        }
        "OS::Designate::Zone" => zone(subject),
        "OS::Glance::WebImage" => image(subject),
        "OS::Keystone::Group"
        | "OS::Keystone::GroupRoleAssignment"
        | "OS::Keystone::User"
        | "OS::Keystone::UserRoleAssignment" => roles(subject),
        "OS::Magnum::ClusterTemplate" | "OS::Magnum::BayModel" => cluster(subject),
        "OS::Manila::ShareNetwork" => share_network(subject),
        "OS::Mistral::CronTrigger" => {
            if subject.is("pattern")? {
                Ok(None)
            } else {
                one_of(subject, &["first_time"])
            }
        }
        "OS::Mistral::Workflow" => workflow(subject),
        "OS::Trove::Cluster" => {
            for instance in subject.maps("instances")? {
                let networks = instance.get("networks").cloned().unwrap_or(Value::Null);
                if let Some(found) = nics(&networks)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        }
        "OS::Trove::Instance" => first!(databases(subject), nics(&subject.own("networks")?)),
        "OS::Zaqar::Subscription" | "OS::Zaqar::MistralTrigger" => subscriber(subject),
        "OS::Zun::Container" => container(subject),
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
    let ty = subject.text("type")?;
    let allowed: &[&str] = match &*ty {
        "key" => &["name", "algorithm", "bit_length", "mode", "payload_content_type", "expiration"],
        "asymmetric" => {
            &["name", "algorithm", "bit_length", "mode", "pass_phrase", "payload_content_type", "expiration"]
        }
        _ => &["name", "request_type", "subject_dn", "source_container_ref", "ca_id", "profile", "request_data"],
    };
    if ty == "certificate" {
        if subject.is("profile")? && !subject.is("ca_id")? {
            return broken("`profile` needs `ca_id`", "give it one");
        }
    } else if !(subject.has("algorithm")? && subject.has("bit_length")?) {
        return broken(format!("an order of the type {ty} needs `algorithm` and `bit_length`"), "give them");
    }
    for key in subject.resource.properties().schema.keys().filter(|key| &***key != "type") {
        if !allowed.contains(&&**key) && subject.has(key)? {
            return broken(format!("an order of the type {ty} has no `{key}`"), "take it away");
        }
    }
    Ok(None)
}

/// No secret twice.
fn container_of_secrets(subject: Subject<'_>) -> Ruled {
    let schema = subject.resource.properties().schema;
    let mut refs: Vec<Value> = Vec::new();
    if schema.contains_key("secrets") {
        refs.extend(subject.maps("secrets")?.into_iter().filter_map(|mut secret| secret.swap_remove("ref")));
    } else {
        for key in schema.keys().filter(|key| &***key != "name") {
            refs.push(subject.own(key)?);
        }
        refs.retain(super::is_there);
    }
    let twice = refs.iter().enumerate().any(|(at, one)| refs[..at].contains(one));
    if twice { broken("a secret is there twice", "name each once") } else { Ok(None) }
}

fn image(subject: Subject<'_>) -> Ruled {
    let container = subject.text("container_format")?;
    if matches!(&*container, "ami" | "ari" | "aki") && subject.text("disk_format")? != container {
        return broken(format!("`disk_format` must be {container} too"), "make both the same");
    }
    if subject.is("members")? && subject.text("visibility")? != "shared" {
        return broken("`members` are of shared images", "set `visibility: shared`");
    }
    Ok(None)
}

fn cluster(subject: Subject<'_>) -> Ruled {
    let (driver, engine) = (subject.text("volume_driver")?, subject.text("coe")?);
    let supported = if engine == "kubernetes" { "cinder" } else { "rexray" };
    if subject.has("volume_driver")? && driver != supported {
        return broken(format!("{engine} has the `volume_driver` {supported}"), "write that");
    }
    Ok(None)
}

fn share_network(subject: Subject<'_>) -> Ruled {
    if subject.is("nova_network")? {
        return broken("there are no networks of Nova's any more", "use `neutron_network`");
    }
    if subject.is("neutron_network")? && !subject.is("neutron_subnet")? {
        return broken("`neutron_network` needs `neutron_subnet`", "give it one");
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
    let ty = subject.text("type")?;
    if ty == "reverse" && !true_of(&map(subject.own("params")?), "task_name") {
        return broken("a reverse workflow needs `params.task_name`", "name the task to be done");
    }
    for task in subject.maps("tasks")? {
        let there = |key: &str| task.get(key).is_some_and(super::is_there);
        if true_of(&task, "workflow") == true_of(&task, "action") {
            return broken("a task is a `workflow` or an `action`", "give one of them");
        }
        if there("requires") && ty == "direct" {
            return broken("tasks of a direct workflow have no `requires`", "make it a reverse one");
        }
        if there("concurrency") && !there("with_items") {
            return broken("`concurrency` needs `with_items`", "give them");
        }
    }
    Ok(None)
}

/// A network or a port each.
fn nics(networks: &Value) -> Ruled {
    let Value::List(networks) = networks else { return Ok(None) };
    for network in networks {
        let network = map(network.clone());
        let there = |key: &str| network.get(key).is_some_and(super::is_there);
        if there("network") == there("port") {
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

fn subscriber(subject: Subject<'_>) -> Ruled {
    if !subject.resource.properties().schema.contains_key("subscriber") {
        return Ok(None);
    }
    let subscriber = subject.text("subscriber")?;
    let scheme = subscriber.split(':').next().unwrap_or_default();
    if matches!(scheme, "http" | "https" | "mailto" | "trust+http" | "trust+https") {
        return Ok(None);
    }
    broken("`subscriber` is no address of HTTP or mail", "begin it with http, https, mailto, trust+http or trust+https")
}

fn container(subject: Subject<'_>) -> Ruled {
    let policy = subject.text("restart_policy")?;
    let retries = policy.strip_prefix("on-failure").map(|rest| rest.strip_prefix(':').unwrap_or("0"));
    let is_policy = matches!(&*policy, "" | "no" | "always" | "unless-stopped")
        || retries.is_some_and(|retries| retries.parse::<u32>().is_ok());
    if !is_policy {
        return broken(
            "`restart_policy` is no, on-failure, on-failure:RETRIES, always or unless-stopped",
            "write one of them",
        );
    }
    for mount in subject.maps("mounts")? {
        let there = |key: &str| mount.get(key).is_some_and(super::is_there);
        if !there("volume_id") && !there("volume_size") {
            return broken("one of `mounts` is a `volume_id` or a `volume_size`", "give one of them");
        }
        if true_of(&mount, "volume_id") && true_of(&mount, "volume_size") {
            return broken("`volume_id` and `volume_size` exclude each other", "take one of them away");
        }
    }
    for network in subject.maps("networks")? {
        let there = |key: &str| network.get(key).is_some_and(super::is_there);
        if !there("network") && !there("port") {
            return broken("one of `networks` is a `network` or a `port`", "give one of them");
        }
        if true_of(&network, "fixed_ip") && there("port") {
            return broken("`fixed_ip` and `port` exclude each other", "take one of them away");
        }
    }
    Ok(None)
}
