//! Barbican's types.

use crate::evaluate::Value;
use crate::resource::values::is_there;
use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Barbican::CertificateContainer", validates: &[container], ..Class::PLAIN },
    Class { ty: "OS::Barbican::GenericContainer", validates: &[container], ..Class::PLAIN },
    Class { ty: "OS::Barbican::Order", validates: &[order], ..Class::PLAIN },
    Class { ty: "OS::Barbican::RSAContainer", validates: &[container], ..Class::PLAIN },
    Class { ty: "OS::Barbican::Secret", validates: &[secret], ..Class::PLAIN },
];

fn secret(subject: Subject<'_>) -> Ruled {
    let (ty, encoding) = (subject.text("payload_content_type")?, subject.is("payload_content_encoding")?);
    if !ty.is_empty() && !subject.is("payload")? {
        return broken("`payload_content_type` needs a `payload`", "add one");
    }
    if ty == "application/octet-stream" && !encoding {
        return broken("application/octet-stream needs `payload_content_encoding`", "add one");
    }
    if encoding && (ty.is_empty() || ty == "text/plain") {
        return broken("`payload_content_encoding` is only for application/octet-stream", "remove it");
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
            return broken("`profile` needs `ca_id`", "add one");
        }
    } else if !(subject.has("algorithm")? && subject.has("bit_length")?) {
        return broken(format!("an order of type {ty} needs `algorithm` and `bit_length`"), "add them");
    }
    for key in subject.resource.properties().schema.keys().filter(|key| &***key != "type") {
        if !allowed.contains(&&**key) && subject.has(key)? {
            return broken(format!("an order of type {ty} takes no `{key}`"), "remove it");
        }
    }
    Ok(None)
}

/// No secret can occur twice.
fn container(subject: Subject<'_>) -> Ruled {
    let schema = subject.resource.properties().schema;
    let mut refs: Vec<Value> = Vec::new();
    if schema.contains_key("secrets") {
        refs.extend(subject.maps("secrets")?.into_iter().filter_map(|mut secret| secret.swap_remove("ref")));
    } else {
        for key in schema.keys().filter(|key| &***key != "name") {
            refs.push(subject.own(key)?);
        }
        refs.retain(is_there);
    }
    let twice = refs.iter().enumerate().any(|(at, one)| refs[..at].contains(one));
    if twice { broken("a secret appears twice", "name each once") } else { Ok(None) }
}
