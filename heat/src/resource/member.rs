//! A member of a group.

use wattle_model::IndexMap;

use crate::evaluate::Value;

/// A resource that a group creates.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) properties: IndexMap<String, Value>,
    /// The member that is created before it.
    pub(crate) after: Option<String>,
}

impl Member {
    /// The type of members in the older kind of groups. In their stack, it stands for an AWS instance.
    pub(crate) const SCALED: &'static str = "OS::Heat::ScaledResource";
}
