//! Resources: what Heat creates.

use crate::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Expr, Name, Source};

/// Something that Heat creates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Heat's resource type: `OS::Nova::Server`.
    #[serde(rename = "type")]
    pub ty: Name,
    /// What goes in, by Heat's property names.
    pub properties: IndexMap<Name, Binding>,
    /// For a server: whether its components run in the order in which they were declared.
    #[serde(default)]
    pub order: Order,
    /// What it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The author's own metadata: a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Expr>>,
    /// Resources that Heat must have created before, besides those that anything here refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Name>,
    /// Under which condition there is such a resource: the name of one, a boolean, or a function of conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Box<Expr>>,
    /// What becomes of it when it leaves the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<Box<Expr>>,
    /// How it is updated: a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_policy: Option<Box<Expr>>,
    /// The identity of what exists already and is not created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<Box<Expr>>,
    /// Where it was added.
    pub at: Source,
}

/// A value given to a property, an input or a promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The value.
    pub value: Expr,
    /// Where it was given.
    pub at: Source,
}

/// What orders the components of one server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The order in which they were declared, like a run list.
    #[default]
    Declared,
    /// Nothing but the values that they exchange and explicit orders.
    Dataflow,
}

impl Resource {
    /// Heat's type of a server.
    pub const SERVER: &'static str = "OS::Nova::Server";

    /// A resource without properties.
    pub fn new(ty: Name, at: Source) -> Self {
        Self { ty, at, ..Self::default() }
    }

    /// What it says of itself besides its properties, by Heat's names.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, &Expr)> {
        [
            ("metadata", &self.metadata),
            ("condition", &self.condition),
            ("deletion_policy", &self.deletion_policy),
            ("update_policy", &self.update_policy),
            ("external_id", &self.external_id),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }

    /// Whether it can run components.
    pub fn is_server(&self) -> bool {
        &*self.ty == Self::SERVER
    }
}
