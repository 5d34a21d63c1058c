//! Groups whose members are written out, and where.

use wattle_heat::yaml::Node;

/// The types of such groups, and the property that says what a member is.
const GROUPS: [(&str, &str); 2] =
    [("OS::Heat::ResourceGroup", "resource_def"), ("OS::Heat::AutoScalingGroup", "resource")];

/// Whether the property says what the members of a group of the type are made of.
pub(crate) fn is_definition(ty: &str, property: &str) -> bool {
    GROUPS.contains(&(ty, property))
}

/// What the members of a resource are made of, if it is such a group.
pub(crate) fn definition<'n>(ty: Option<&str>, properties: Option<&'n Node>) -> Option<&'n Node> {
    let (_, property) = GROUPS.iter().find(|(group, _)| Some(*group) == ty)?;
    properties?.get(property)
}
