//! Groups as stacks: their members and their attributes.

use wattle_model::{IndexMap, Source};

use crate::classes;
use crate::environment::Registry;
use crate::evaluate::Value;
use crate::resource::{self, Member};
use crate::stack;

use super::part::{Part, Reading};

/// Properties that determine the members of a group, and those of them that are definitions. Of a definition, only the type
/// matters.
const SIZES: [&str; 7] =
    ["count", "desired_capacity", "index_var", "min_size", "removal_policies", "resources", "Size"];
const DEFINITIONS: [&str; 2] = ["resource", "resource_def"];

/// The members of a group.
pub(super) struct Members {
    pub(super) all: IndexMap<String, Member>,
    pub(super) registry: Registry,
    /// Where the group is declared.
    pub(super) at: Source,
    /// The group's type.
    ty: String,
}

impl Members {
    /// The members of a resource, if it is a group.
    pub(super) fn of(group: &resource::Resource, reading: Reading, registry: Registry, at: Source) -> Option<Self> {
        let members = match reading {
            Reading::Compared => classes::compared(group),
            Reading::Unfolded => (group.class().group?.members)(group, false),
        }?;
        let all = members.into_iter().map(|member| (member.name.clone(), member)).collect();
        Some(Self { all, registry: stack::with_scaled(registry), at, ty: group.made_by().to_owned() })
    }

    /// An attribute of the group whose stack is `part`, and how much of the path it consumes (`get_attribute` of each
    /// class).
    pub(super) fn attribute(&self, part: &Part<'_>, way: &[Value]) -> Option<(Value, usize)> {
        let key = way.first()?.as_text()?;
        let names = || self.all.keys();
        let list = |of: &[Value]| Value::List(names().map(|name| part.of_member(name, of)).collect());
        let map = |of: &[Value]| Value::Map(names().map(|name| (name.clone(), part.of_member(name, of))).collect());
        if let Some(rest) = key.strip_prefix("resource.") {
            let (name, own) = rest.split_once('.').map_or((rest, None), |(name, own)| (name, Some(own)));
            let of: Vec<Value> = own.map(Value::from).into_iter().chain(way[1..].iter().cloned()).collect();
            return self.all.contains_key(name).then(|| (part.of_member(name, &of), way.len()));
        }
        let follows = (way.len() > 1).then(|| &way[1..]);
        match (&*self.ty, key) {
            ("OS::Heat::ResourceGroup" | "OS::Heat::ResourceChain" | "OS::Heat::AutoScalingGroup", "refs") => {
                Some((list(&[]), 1))
            }
            ("OS::Heat::ResourceGroup" | "OS::Heat::AutoScalingGroup", "refs_map") => Some((map(&[]), 1)),
            ("OS::Heat::AutoScalingGroup", "outputs") => follows.map(|of| (map(of), way.len())),
            ("OS::Heat::AutoScalingGroup", "outputs_list") => follows.map(|of| (list(of), way.len())),
            ("OS::Heat::AutoScalingGroup", "current_size") => Some((Value::Integer(self.all.len() as i128), 1)),
            ("OS::Heat::ResourceGroup" | "OS::Heat::ResourceChain", "attributes") => {
                follows.map(|of| (map(of), way.len()))
            }
            ("OS::Heat::ResourceGroup" | "OS::Heat::ResourceChain", "removed_rsrc_list" | "show") => None,
            ("OS::Heat::ResourceGroup" | "OS::Heat::ResourceChain", _) => Some((list(way), way.len())),
            _ => None,
        }
    }
}

/// The properties that leave open which members a group has.
pub(super) fn undecided(group: &resource::Resource) -> Vec<&'static str> {
    if group.class().group.is_none() {
        return Vec::new();
    }
    let is_open = |name: &&&str| group.property(name).is_open() || group.property(name).is_cut();
    let sizes = SIZES.iter().filter(is_open).copied();
    let definitions = DEFINITIONS.iter().filter(|name| match group.property(name) {
        Value::Map(parts) => parts.get("type").is_some_and(|ty| !ty.is_known()),
        value => !value.is_known(),
    });
    sizes.chain(definitions.copied()).collect()
}
