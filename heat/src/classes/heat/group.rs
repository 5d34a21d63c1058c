//! Groups: resources for whose members Heat creates a stack itself.

use wattle_model::{IndexMap, Name, PropertySchema, PropertyType, Schema, SchemaConstraint};

use crate::evaluate::{Open, Value};
use crate::properties::{Property, is_true};
use crate::resource::values::map;
use crate::resource::{Asked, Class, Group, Member, Resource, Ruled, Subject};
use crate::template::Function;

use super::super::rule::{broken, launch_configuration, sizes};

pub(super) const CLASSES: &[Class] = &[
    Class {
        ty: "OS::Heat::AutoScalingGroup",
        validates: &[|subject| sizes(subject, ["min_size", "max_size", "desired_capacity"]), member_type],
        any_attribute: true,
        group: Some(Group { members: |group, _| auto_scaling_group(group), asked: of_scaled }),
        ..Class::PLAIN
    },
    Class {
        ty: "OS::Heat::InstanceGroup",
        validates: &[launch_configuration],
        update_policy: || amazon_policy("RollingUpdate"),
        group: Some(of(|group, _| Some(instances(&group.property("Size"))))),
        ..Class::PLAIN
    },
    Class {
        ty: "OS::Heat::ResourceChain",
        any_attribute: true,
        group: Some(Group { members: |group, _| Some(chain(group)), asked: of_listed }),
        ..Class::PLAIN
    },
    Class {
        ty: "OS::Heat::ResourceGroup",
        // Heat reads the count of a group that is a member of another group, too.
        validates: &[|subject| subject.own("count").map(|_| None)],
        update_policy: || {
            let rolling =
                [("min_in_service", integer(0, 0)), ("max_batch_size", integer(1, 1)), ("pause_time", pause())];
            keys([("rolling_update", closed(rolling)), ("batch_create", batch())])
        },
        any_attribute: true,
        group: Some(Group { members: resource_group, asked: of_listed }),
        ..Class::PLAIN
    },
    Class { ty: "OS::Heat::SoftwareDeploymentGroup", ..SOFTWARE },
    Class { ty: "OS::Heat::SoftwareDeployments", ..SOFTWARE },
    Class { ty: "OS::Heat::StructuredDeploymentGroup", ..STRUCTURED },
    Class { ty: "OS::Heat::StructuredDeployments", ..STRUCTURED },
];

const SOFTWARE: Class = Class {
    update_policy: || keys([("rolling_update", batch()), ("batch_create", batch())]),
    any_attribute: true,
    group: Some(of(|group, all| Some(deployments(group, "OS::Heat::SoftwareDeployment", all)))),
    ..Class::PLAIN
};

const STRUCTURED: Class =
    Class { group: Some(of(|group, all| Some(deployments(group, "OS::Heat::StructuredDeployment", all)))), ..SOFTWARE };

/// A group that has all of its attributes itself.
pub(in crate::classes) const fn of(members: fn(&Resource, bool) -> Option<Vec<Member>>) -> Group {
    Group { members, asked: |_, _, _| None }
}

/// Larger groups are not expanded member by member.
pub(crate) const MOST: usize = 10_000;

/// The number of members of a group, if it is too large to be expanded.
pub(crate) fn too_many(resource: &Resource) -> Option<i128> {
    resource.class().group?;
    let sizes = ["count", "desired_capacity", "min_size", "DesiredCapacity", "MinSize", "Size"];
    let size = |key: &&str| match resource.property(key) {
        Value::Integer(size) => Some(size),
        Value::Text(size) => size.trim().parse().ok(),
        _ => None,
    };
    let size = sizes.iter().filter_map(size).find(|size| *size > 0)?;
    (size > MOST as i128).then_some(size)
}

/// The property that determines the size of a group, if only Heat knows that size: the property is computed, or scaling adds
/// and removes members.
pub(crate) fn open_size(group: &Resource) -> Option<&'static str> {
    let (name, scales) = match group.made_by() {
        "OS::Heat::ResourceGroup" => ("count", false),
        "OS::Heat::AutoScalingGroup" => ("desired_capacity", true),
        _ => return None,
    };
    let size = group.property(name);
    (!size.is_known() || scales && !is_true(&size)).then_some(name)
}

/// The members by which an update judges a group. If only Heat knows their number, at least one member stands for all.
pub(crate) fn compared(group: &Resource) -> Option<Vec<Member>> {
    let of = group.class().group?.members;
    let members = of(group, false)?;
    match open_size(group) {
        Some(size) if members.is_empty() => {
            let one = Property { value: Some(Value::Integer(1)), pending: false, pair: None };
            let mut given = group.given.clone();
            given.insert(size.to_owned(), one);
            let (ty, maker) = (group.ty.clone(), group.maker.clone());
            of(&Resource { ty, maker, given, external: false, references: Vec::new() }, false)
        }
        _ => Some(members),
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Integer(count) => usize::try_from(*count).unwrap_or(0).min(MOST),
        Value::Text(text) => text.trim().parse().unwrap_or(0).min(MOST),
        _ => 0,
    }
}

fn resource_group(resource: &Resource, all: bool) -> Option<Vec<Member>> {
    let count = count(&resource.property("count"));
    if count == 0 {
        return Some(Vec::new());
    }
    let mut definition = map(resource.property("resource_def"));
    let ty = definition.get("type")?.as_text()?.to_owned();
    let properties = map(definition.swap_remove("properties").unwrap_or(Value::Null));
    let index = resource.property("index_var");
    let index = index.as_text().unwrap_or("%index%");
    let skipped: Vec<String> = match resource.property("removal_policies") {
        Value::List(policies) => policies.into_iter().flat_map(|policy| listed(&map(policy))).collect(),
        _ => Vec::new(),
    };
    let names = (0..).map(|number: usize| number.to_string()).filter(|name| !skipped.contains(name));
    let member = |name: String| {
        let given = properties.iter().filter(|(_, value)| all || !matches!(value, Value::Null | Value::Unknown));
        let properties = given.map(|(key, value)| (key.clone(), numbered(value, index, &name))).collect();
        Member { name, ty: ty.clone(), properties, after: None }
    };
    // When it validates, Heat looks only at the first member.
    Some(names.take(if all { 1 } else { count }).map(member).collect())
}

fn listed(policy: &IndexMap<String, Value>) -> Vec<String> {
    match policy.get("resource_list") {
        Some(Value::List(names)) => names.iter().map(Value::python).collect(),
        _ => Vec::new(),
    }
}

/// `value`, with the variable replaced by the member's name everywhere.
fn numbered(value: &Value, variable: &str, name: &str) -> Value {
    match value {
        Value::Text(text) => Value::Text(text.replace(variable, name)),
        Value::List(items) => Value::List(items.iter().map(|item| numbered(item, variable, name)).collect()),
        Value::Map(items) => {
            Value::Map(items.iter().map(|(key, item)| (key.clone(), numbered(item, variable, name))).collect())
        }
        Value::Open(open) => match &**open {
            // Heat has resolved these by then, so the variable is not replaced in them.
            Open::Call(Function::GetResource | Function::GetAttr, _) | Open::Secret(..) => value.clone(),
            Open::Call(function, argument) => Value::open(*function, numbered(argument, variable, name)),
            Open::Read(ty, inner) => Value::read(*ty, numbered(inner, variable, name)),
        },
        _ => value.clone(),
    }
}

/// Heat gives the members random names. Here they are numbers.
fn auto_scaling_group(resource: &Resource) -> Option<Vec<Member>> {
    let mut definition = map(resource.property("resource"));
    let ty = definition.get("type")?.as_text()?.to_owned();
    let properties = map(definition.swap_remove("properties").unwrap_or(Value::Null));
    let desired = resource.property("desired_capacity");
    let size = if is_true(&desired) { desired } else { resource.property("min_size") };
    let member =
        |name: usize| Member { name: name.to_string(), ty: ty.clone(), properties: properties.clone(), after: None };
    Some((0..count(&size)).map(member).collect())
}

/// The members of the older kind of groups.
pub(in crate::classes) fn instances(size: &Value) -> Vec<Member> {
    let member = |name: usize| Member {
        name: name.to_string(),
        ty: Member::SCALED.to_owned(),
        properties: IndexMap::default(),
        after: None,
    };
    (0..count(size)).map(member).collect()
}

fn chain(resource: &Resource) -> Vec<Member> {
    let Value::List(types) = resource.property("resources") else { return Vec::new() };
    let properties = map(resource.property("resource_properties"));
    // A concurrent chain is created by as many engines as there are: one here.
    let member = |(index, ty): (usize, &Value)| Member {
        name: index.to_string(),
        ty: ty.as_text().unwrap_or_default().to_owned(),
        properties: properties.clone(),
        after: index.checked_sub(1).map(|before| before.to_string()),
    };
    types.iter().enumerate().map(member).collect()
}

fn deployments(resource: &Resource, ty: &str, all: bool) -> Vec<Member> {
    let properties = resource.properties();
    let common: IndexMap<String, Value> = properties
        .schema
        .keys()
        .filter(|key| &***key != "servers")
        .map(|key| (key.to_string(), resource.property(key)))
        .filter(|(_, value)| !matches!(value, Value::Null | Value::Unknown))
        .collect();
    let member = |(name, server): (String, Value)| {
        let mut properties = common.clone();
        properties.insert("server".to_owned(), server);
        Member { name, ty: ty.to_owned(), properties, after: None }
    };
    let most = if all { 1 } else { MOST };
    map(resource.property("servers")).into_iter().take(most).map(member).collect()
}

/// An attribute of numbered members, if the group does not have it itself: Heat creates outputs for them.
fn of_listed(schema: &Schema, attribute: &str, next: Option<String>) -> Option<Asked> {
    match attribute.strip_prefix("resource.").map(|of_one| of_one.split_once('.').ok_or(of_one)) {
        Some(Ok((member, own))) => Some(Asked { member: Some(member.to_owned()), attribute: own.to_owned() }),
        Some(Err(member)) => Some(Asked { member: Some(member.to_owned()), attribute: next? }),
        None if attribute == "attributes" => Some(Asked { member: None, attribute: next? }),
        None => {
            let own = schema.attributes.contains_key(attribute) && attribute != "show";
            (!own).then(|| Asked { member: None, attribute: attribute.to_owned() })
        }
    }
}

/// The same for members whose names are not known yet.
fn of_scaled(_: &Schema, attribute: &str, next: Option<String>) -> Option<Asked> {
    let own = match attribute {
        "outputs" | "outputs_list" => None,
        _ => attribute.strip_prefix("resource.")?.split_once('.').map(|(_, own)| own.to_owned()),
    };
    Some(Asked { member: None, attribute: own.or(next)? })
}

/// Members must have a type. Heat ignores other keys.
fn member_type(subject: Subject<'_>) -> Ruled {
    if map(subject.own("resource")?).get("type").is_some_and(is_true) {
        return Ok(None);
    }
    broken("`resource` has no `type`", "add it")
}

/// The `update_policy` of the older kind of groups, which has one key.
pub(in crate::classes) fn amazon_policy(key: &'static str) -> IndexMap<Name, PropertySchema> {
    let pause = PropertySchema { ty: PropertyType::Str, default: Some("PT0S".into()), ..PropertySchema::default() };
    let rolling = [("MinInstancesInService", integer(0, 0)), ("MaxBatchSize", integer(1, 1)), ("PauseTime", pause)];
    keys([(key, closed(rolling))])
}

fn keys<const N: usize>(keys: [(&'static str, PropertySchema); N]) -> IndexMap<Name, PropertySchema> {
    keys.into_iter().map(|(key, schema)| (key.into(), schema)).collect()
}

fn closed<const N: usize>(parts: [(&'static str, PropertySchema); N]) -> PropertySchema {
    PropertySchema { ty: PropertyType::Map, keys: keys(parts), ..PropertySchema::default() }
}

fn batch() -> PropertySchema {
    closed([("max_batch_size", integer(1, 1)), ("pause_time", pause())])
}

fn pause() -> PropertySchema {
    PropertySchema { ty: PropertyType::Number, ..integer(0, 0) }
}

fn integer(min: u8, default: u8) -> PropertySchema {
    let constraints = vec![SchemaConstraint::Range(vec![Some(f64::from(min)), None])];
    PropertySchema {
        ty: PropertyType::Integer,
        default: Some(i32::from(default).into()),
        constraints,
        ..PropertySchema::default()
    }
}
