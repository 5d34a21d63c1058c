//! Resources: what Heat creates.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Expr, Name, Source};

/// Something that Heat creates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// Heat's resource type: `OS::Nova::Server`.
    #[serde(rename = "type")]
    pub ty: Name,
    /// What goes in, by Heat's property names.
    pub properties: IndexMap<Name, Binding>,
    /// For a server: whether its components run in the order in which they were declared.
    #[serde(default)]
    pub order: Order,
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
        Self { ty, properties: IndexMap::new(), order: Order::default(), at }
    }

    /// Whether it can run components.
    pub fn is_server(&self) -> bool {
        &*self.ty == Self::SERVER
    }
}
