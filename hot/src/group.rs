//! Groups with explicit members, and the property that defines them.

use wattle_heat::yaml::Node;

/// The types of such groups, each with the property that defines a member.
const GROUPS: [(&str, &str); 2] =
    [("OS::Heat::ResourceGroup", "resource_def"), ("OS::Heat::AutoScalingGroup", "resource")];

/// Whether the property of the type defines the members of a group.
pub(crate) fn is_definition(ty: &str, property: &str) -> bool {
    GROUPS.contains(&(ty, property))
}

/// The definition of a resource's members, if it is such a group.
pub(crate) fn definition<'n>(ty: Option<&str>, properties: Option<&'n Node>) -> Option<&'n Node> {
    let (_, property) = GROUPS.iter().find(|(group, _)| Some(*group) == ty)?;
    properties?.get(property)
}
