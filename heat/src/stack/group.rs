//! The members of groups.
//!
//! A group is a stack of its own whose resources hold values only: functions are resolved in the stack that the group
//! stands in.

use indexmap::IndexMap;

use crate::environment::{Implementation, Registry, Target};
use crate::evaluate::Value;
use crate::properties::is_true;
use crate::yaml::{Node, Span};

use super::reference::{How, Kind, Reference};
use super::{Class, Resource, Stack, World, class, resolved};

/// A member of a group.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: String,
    ty: String,
    properties: IndexMap<String, Value>,
    /// What is made before it.
    after: Option<String>,
}

/// The type of the members of groups of the older kind.
const SCALED: &str = "OS::Heat::ScaledResource";

/// More members than this are not looked at one by one.
const MOST: usize = 10_000;

/// The members of the group that `resource` is, if it is one whose members can be told.
pub(super) fn members(resource: &Resource, all: bool) -> Option<Vec<Member>> {
    match resource.class.name() {
        "OS::Heat::ResourceGroup" => resource_group(resource, all),
        "OS::Heat::AutoScalingGroup" => auto_scaling_group(resource),
        "OS::Heat::InstanceGroup" | "AWS::AutoScaling::AutoScalingGroup" => Some(instance_group(resource)),
        "OS::Heat::ResourceChain" => Some(chain(resource)),
        "OS::Heat::SoftwareDeploymentGroup" | "OS::Heat::SoftwareDeployments" => {
            Some(deployments(resource, "OS::Heat::SoftwareDeployment", all))
        }
        "OS::Heat::StructuredDeploymentGroup" | "OS::Heat::StructuredDeployments" => {
            Some(deployments(resource, "OS::Heat::StructuredDeployment", all))
        }
        _ => None,
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Integer(count) => usize::try_from(*count).unwrap_or(0).min(MOST),
        Value::Text(text) => text.trim().parse().unwrap_or(0).min(MOST),
        _ => 0,
    }
}

fn map(value: Value) -> IndexMap<String, Value> {
    match value {
        Value::Map(items) => items,
        _ => IndexMap::new(),
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
    // Of all members Heat validates the first one.
    Some(names.take(if all { 1 } else { count }).map(member).collect())
}

fn listed(policy: &IndexMap<String, Value>) -> Vec<String> {
    match policy.get("resource_list") {
        Some(Value::List(names)) => names.iter().map(Value::python).collect(),
        _ => Vec::new(),
    }
}

/// `value` with the member's name wherever the variable stands.
fn numbered(value: &Value, variable: &str, name: &str) -> Value {
    match value {
        Value::Text(text) => Value::Text(text.replace(variable, name)),
        Value::List(items) => Value::List(items.iter().map(|item| numbered(item, variable, name)).collect()),
        Value::Map(items) => {
            Value::Map(items.iter().map(|(key, item)| (key.clone(), numbered(item, variable, name))).collect())
        }
        _ => value.clone(),
    }
}

/// Heat gives its members names by chance; here they are numbers.
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

fn instance_group(resource: &Resource) -> Vec<Member> {
    let size = match resource.class.name() {
        "OS::Heat::InstanceGroup" => resource.property("Size"),
        _ => match resource.property("DesiredCapacity") {
            desired if is_true(&desired) => desired,
            _ => resource.property("MinSize"),
        },
    };
    let member = |name: usize| Member {
        name: name.to_string(),
        ty: SCALED.to_owned(),
        properties: IndexMap::new(),
        after: None,
    };
    (0..count(&size)).map(member).collect()
}

fn chain(resource: &Resource) -> Vec<Member> {
    let Value::List(types) = resource.property("resources") else { return Vec::new() };
    let properties = map(resource.property("resource_properties"));
    // A chain that is made at once is made by as many engines as there are: one here.
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

impl<'n> Stack<'n> {
    pub(super) fn of_members(world: &World, parent: &Stack<'n>, members: &[Member], mut registry: Registry) -> Self {
        let amazon = Target {
            implementation: Implementation::Type("AWS::EC2::Instance".to_owned()),
            path: None,
            value: Node::null(),
            file: "".into(),
            name_span: Span::default(),
        };
        registry.types.insert(SCALED.to_owned(), amazon);
        let resource = |member: &Member| {
            let class = class(world, parent.loaded, &registry, &member.name, &member.ty);
            let reference = |name: &String| Reference {
                name: name.clone(),
                kind: Kind::Name,
                span: Span::default(),
                how: How::DependsOn,
            };
            let references = member.after.iter().map(reference).collect();
            let given = resolved(member.properties.clone());
            (member.name.clone(), Resource { ty: member.ty.clone(), class, given, external: false, references })
        };
        let resources: IndexMap<String, Resource> = members.iter().map(resource).collect();
        Self { loaded: parent.loaded, depth: parent.depth + 1, resources, registry, nested: world.nested.clone() }
    }
}

/// Whether a class is that of a group.
pub(crate) fn is_group(class: &Class) -> bool {
    matches!(
        class.name(),
        "OS::Heat::ResourceGroup"
            | "OS::Heat::AutoScalingGroup"
            | "OS::Heat::InstanceGroup"
            | "AWS::AutoScaling::AutoScalingGroup"
            | "OS::Heat::ResourceChain"
            | "OS::Heat::SoftwareDeploymentGroup"
            | "OS::Heat::SoftwareDeployments"
            | "OS::Heat::StructuredDeploymentGroup"
            | "OS::Heat::StructuredDeployments"
    )
}
