//! What Heat's classes do when properties change, beyond what their schemas say.

use crate::model::{Name, PropertySchema, PropertyType, Schema, Value};

use super::Action;
use super::expression::{call, is_open};
use super::flat::Item;

/// What becomes of a resource, and how another answer could be had.
pub(super) struct Verdict {
    pub(super) action: Action,
    pub(super) help: Vec<String>,
}

/// A property of a server, the policy that says what its change does, the policy's default and what is better.
const POLICIES: [(&str, &str, &str, &str); 3] = [
    ("flavor", "flavor_update_policy", "RESIZE", "RESIZE"),
    ("image", "image_update_policy", "REBUILD", "REBUILD"),
    ("user_data", "user_data_update_policy", "REPLACE", "IGNORE"),
];

/// Properties whose change Heat refuses (`immutable` in its schemas).
const IMMUTABLE: [(&str, &[&str]); 4] = [
    ("OS::Neutron::Trunk", &["port"]),
    ("AWS::EC2::Volume", &["AvailabilityZone", "Size", "SnapshotId", "Tags"]),
    ("AWS::EC2::VolumeAttachment", &["InstanceId", "VolumeId", "Device"]),
    ("OS::Heat::None", &[]),
];

/// What becomes of a resource whose properties `changed` are others.
pub(super) fn verdict(before: &Item, after: &Item, changed: &[Name], schema: Option<&Schema>) -> Verdict {
    let ty = &*after.ty;
    let has = |name: &str| changed.iter().any(|changed| **changed == *name);
    let mut help = Vec::new();
    let immutable = IMMUTABLE.iter().find(|(name, _)| *name == ty).map_or(&[][..], |(_, names)| names);
    if let Some(name) = immutable.iter().find(|name| has(name)) {
        help.push(format!("Heat never changes `{name}` of such a resource: give it another name, and it is made anew"));
        return Verdict { action: Action::Refused, help };
    }
    let mut replaced = false;
    if ty == crate::model::Resource::SERVER {
        for (property, policy, default, better) in POLICIES {
            let of = |item: &Item| item.properties.get(policy).and_then(Value::as_str).map(str::to_owned);
            let is = of(after).or_else(|| of(before)).unwrap_or_else(|| default.to_owned());
            if has(property) && is == "REPLACE" {
                replaced = true;
                help.push(match better {
                    "IGNORE" => format!("`{policy}: IGNORE` keeps the server, which is not told of the change then"),
                    better => format!("`{policy}: {better}` keeps the server"),
                });
            }
        }
    }
    replaced |= match ty {
        "OS::Heat::TestResource" => has("value") && after.properties.get("update_replace").is_some_and(is_true),
        "OS::Heat::Stack" => {
            has("context") && part(before, "context", "region_name") != part(after, "context", "region_name")
        }
        "OS::Mistral::ExternalResource" => {
            let Some(Value::List(names)) = after.properties.get("replace_on_change_inputs") else {
                return plain(changed, schema, help);
            };
            let names = names.iter().filter_map(Value::as_str);
            names.into_iter().any(|name| part(before, "input", name) != part(after, "input", name))
        }
        "AWS::EC2::EIPAssociation" => {
            (has("AllocationId") || has("EIP"))
                && ["InstanceId", "NetworkInterfaceId"]
                    .iter()
                    .any(|name| has(name) && after.properties.contains_key(*name))
        }
        _ => false,
    };
    if replaced {
        return Verdict { action: Action::Replace, help };
    }
    plain(changed, schema, help)
}

/// What the schema alone says.
fn plain(changed: &[Name], schema: Option<&Schema>, mut help: Vec<String>) -> Verdict {
    let fixed = |name: &&Name| {
        schema.is_some_and(|schema| schema.properties.get(*name).is_some_and(|property| !property.updatable))
    };
    let fixed: Vec<&str> = changed.iter().filter(fixed).map(|name| &**name).collect();
    if fixed.is_empty() {
        return Verdict { action: Action::Update, help };
    }
    let names = crate::names::list(fixed.iter().copied(), "and");
    help.push(format!(
        "Heat cannot change {names} in place: leave {} as it was",
        if fixed.len() == 1 { "it" } else { "them" }
    ));
    Verdict { action: Action::Replace, help }
}

/// Whether Heat replaces such a resource on every update.
pub(super) fn is_always_replaced(item: &Item) -> bool {
    match &*item.ty {
        "OS::Neutron::Port" => {
            item.properties.get("replacement_policy").and_then(Value::as_str) == Some("REPLACE_ALWAYS")
        }
        "OS::Heat::UpdateWaitConditionHandle" => true,
        _ => false,
    }
}

/// Whether Heat updates such a resource on every update, and that does something.
pub(super) fn is_always_updated(item: &Item) -> bool {
    &*item.ty == "OS::Mistral::ExternalResource" && item.properties.get("always_update").is_none_or(is_true)
}

/// Whether another one in the place of such a resource is referred to as it was: by the name that it is given.
pub(super) fn keeps_reference(before: &Item, after: &Item) -> bool {
    const NAMED: [&str; 4] = ["OS::Nova::KeyPair", "OS::Swift::Container", "OS::Zaqar::Queue", "OS::Mistral::Workflow"];
    let name = after.properties.get("name").filter(|name| name.as_str().is_some());
    before.ty == after.ty && NAMED.contains(&&*after.ty) && name.is_some() && name == before.properties.get("name")
}

/// Whether a change of the metadata replaces such a resource.
pub(super) fn metadata_replaces(item: &Item) -> bool {
    &*item.ty == "AWS::AutoScaling::LaunchConfiguration"
}

fn part<'i>(item: &'i Item, property: &str, key: &str) -> Option<&'i Value> {
    super::expression::entry(item.properties.get(property)?, key)
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Boolean(is) => *is,
        Value::Str(text) => matches!(text.to_lowercase().as_str(), "true" | "yes" | "on" | "1" | "t" | "y"),
        Value::Integer(number) => *number != 0,
        _ => false,
    }
}

/// A property's value as Heat compares it: of the schema's type, with its defaults. What is not known yet stays.
pub(super) fn typed(value: Option<&Value>, schema: Option<&PropertySchema>) -> Value {
    let Some(schema) = schema else { return value.cloned().unwrap_or(Value::Null) };
    let value = match value {
        None | Some(Value::Null) => match &schema.default {
            Some(default) => default,
            None => return Value::Null,
        },
        Some(value) => value,
    };
    if call(value).is_some() && is_open(value) {
        return value.clone();
    }
    match (schema.ty, value) {
        (PropertyType::Str, Value::Integer(number)) => number.to_string().into(),
        (PropertyType::Str, Value::Float(number)) => number.to_string().into(),
        (PropertyType::Str, Value::Boolean(is)) => if *is { "True" } else { "False" }.into(),
        (PropertyType::Integer, Value::Str(text)) => {
            text.trim().parse::<i128>().map_or_else(|_| value.clone(), Value::Integer)
        }
        (PropertyType::Number, Value::Str(text)) => match (text.trim().parse::<i128>(), text.trim().parse::<f64>()) {
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(number)) => number.into(),
            _ => value.clone(),
        },
        (PropertyType::Integer | PropertyType::Number, Value::Float(number))
            if number.fract() == 0.0 && number.abs() < 9e15 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "the number is whole and within 2^53")]
            Value::Integer(i128::from(*number as i64))
        }
        (PropertyType::Boolean, Value::Str(text)) => match text.to_lowercase().as_str() {
            "true" | "yes" | "on" | "1" | "t" | "y" => true.into(),
            "false" | "no" | "off" | "0" | "f" | "n" => false.into(),
            _ => value.clone(),
        },
        (PropertyType::Boolean, Value::Integer(number)) => (*number != 0).into(),
        (PropertyType::List, Value::List(items)) => {
            Value::List(items.iter().map(|item| typed(Some(item), schema.item.as_deref())).collect())
        }
        (PropertyType::List, Value::Str(text)) if schema.converts => {
            Value::List(text.split(',').map(|part| Value::from(part.trim())).collect())
        }
        (PropertyType::Map, Value::Map(items)) if schema.keys.is_empty() => Value::Map(
            items.iter().map(|(name, item)| (name.clone(), typed(Some(item), schema.item.as_deref()))).collect(),
        ),
        (PropertyType::Map, Value::Map(items)) => {
            let known = schema.keys.iter().map(|(name, key)| (name.clone(), typed(items.get(name), Some(key))));
            let known = known.filter(|(_, value)| *value != Value::Null);
            let other = items.iter().filter(|(name, _)| !schema.keys.contains_key(*name));
            Value::Map(known.chain(other.map(|(name, value)| (name.clone(), value.clone()))).collect())
        }
        _ => value.clone(),
    }
}
