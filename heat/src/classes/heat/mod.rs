//! Heat's own types.

mod deployment;
pub(in crate::classes) mod group;

use wattle_model::{PropertyType, Schema};

use crate::evaluate::Value;
use crate::properties::{Addition, is_true};
use crate::resource::values::{integer, items};
use crate::resource::{Class, Refers, Resource, Ruled, Subject};
use crate::yaml;

use super::rule::{broken, step};

pub(super) const CLASSES: &[&[Class]] = &[
    deployment::CLASSES,
    group::CLASSES,
    &[
        Class { ty: "OS::Heat::AccessPolicy", validates: &[access_policy], ..Class::PLAIN },
        Class {
            ty: "OS::Heat::Delay",
            validates: &[delay],
            // The schema allows changes, but the class has no `handle_update`, and Heat's default implementation replaces
            // the resource.
            replaces: |_| Some(vec!["it waits again, with the new times".to_owned()]),
            ..Class::PLAIN
        },
        Class {
            ty: "OS::Heat::DeployedServer",
            snapshots: true,
            ignores: &["deployment_swift_data", "metadata", "name", "software_config_transport"],
            ..Class::PLAIN
        },
        Class {
            ty: "OS::Heat::RandomString",
            adds: &[Addition { to: "character_classes", from: "sequence", within: Some(("class", ("min", 1))) }],
            schema: of_sequence,
            validates: &[random_string],
            ..Class::PLAIN
        },
        Class {
            ty: "OS::Heat::ScalingPolicy",
            validates: &[|subject| {
                step(subject, "adjustment_type", "min_adjustment_step", "percent_change_in_capacity")
            }],
            ..Class::PLAIN
        },
        Class {
            ty: "OS::Heat::Stack",
            refers: Refers::Nothing,
            validates: &[remote_template],
            replaces: |change| {
                let region =
                    (change.before.part("context", "region_name"), change.after.part("context", "region_name"));
                (change.has("context") && region.0 != region.1).then(Vec::new)
            },
            ..Class::PLAIN
        },
        Class { ty: "OS::Heat::SwiftSignalHandle", refers: Refers::Nothing, ..Class::PLAIN },
        Class {
            ty: "OS::Heat::TestResource",
            replaces: |change| {
                (change.has("value") && change.after.boolean("update_replace") == Some(true)).then(Vec::new)
            },
            ..Class::PLAIN
        },
        Class { ty: "OS::Heat::UpdateWaitConditionHandle", always_replaced: |_| true, ..Class::PLAIN },
        Class { ty: "OS::Heat::Value", schema: of_type, ..Class::PLAIN },
    ],
];

/// The value has the type that is given beside it.
fn of_type(resource: &Resource, schema: &Schema) -> Option<Schema> {
    let ty = match resource.property("type").as_text()? {
        "string" => PropertyType::Str,
        "number" => PropertyType::Number,
        "comma_delimited_list" => PropertyType::List,
        "json" => PropertyType::Map,
        "boolean" => PropertyType::Boolean,
        _ => return None,
    };
    let mut schema = schema.clone();
    schema.properties.get_mut("value")?.ty = ty;
    Some(schema)
}

/// Heat derives a character class from `sequence` and does not validate it any further.
fn of_sequence(resource: &Resource, schema: &Schema) -> Option<Schema> {
    let given = resource.given.get("sequence")?.value.as_ref()?;
    let mut schema = schema.clone();
    is_true(given).then(|| schema.properties.get_mut("sequence").map(|property| property.constraints.clear()))?;
    Some(schema)
}

fn access_policy(subject: Subject<'_>) -> Ruled {
    let allowed = subject.own("AllowedResources")?;
    match items(&allowed).iter().map(Value::python).find(|name| !subject.all.contains_key(name)) {
        Some(name) => broken(format!("there is no resource `{}`", name.escape_debug()), "name one that exists"),
        None => Ok(None),
    }
}

fn random_string(subject: Subject<'_>) -> Ruled {
    let mut least = 0;
    for key in ["character_classes", "character_sequences"] {
        for part in subject.maps(key)? {
            least += part.get("min").and_then(integer).unwrap_or_default();
        }
    }
    match integer(&subject.own("length")?) {
        Some(length) if least > length => broken(
            format!("`length` is {length}, but its classes and sequences need {least} characters"),
            "make it longer",
        ),
        _ => Ok(None),
    }
}

/// A template that is sent to another Heat must name a version.
fn remote_template(subject: Subject<'_>) -> Ruled {
    let text = subject.text("template")?;
    let versions = ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
    let is_template = yaml::read(&text).is_ok_and(|root| versions.iter().any(|version| root.get(version).is_some()));
    if is_template {
        Ok(None)
    } else {
        broken("`template` is not a template of any version", "begin it with its version")
    }
}

fn delay(subject: Subject<'_>) -> Ruled {
    if subject.nested {
        return Ok(None);
    }
    let number = |value: &Value| match value {
        Value::Integer(number) => u32::try_from(*number).map_or(f64::MAX, f64::from),
        Value::Float(number) => *number,
        _ => 0.0,
    };
    let (least, jitter) = (number(&subject.own("min_wait")?), number(&subject.own("max_jitter")?));
    let factor = match subject.own("jitter_multiplier")? {
        Value::Null | Value::Unknown => 1.0,
        value => number(&value),
    };
    // The default timeout of a stack is one hour.
    if least + jitter * factor > 3600.0 {
        return broken("it may wait longer than the one hour that a stack has", "choose a shorter time");
    }
    Ok(None)
}
