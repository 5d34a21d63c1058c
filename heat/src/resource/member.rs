//! A member of a group.

use wattle_model::IndexMap;

use crate::evaluate::Value;

/// A resource that a group makes.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) properties: IndexMap<String, Value>,
    /// What is made before it.
    pub(crate) after: Option<String>,
}

impl Member {
    /// The type of the members of groups of the older kind, which stands for an instance of Amazon's in their stack.
    pub(crate) const SCALED: &'static str = "OS::Heat::ScaledResource";
}
