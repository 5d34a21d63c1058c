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
    /// Its properties, by Heat's names.
    pub properties: IndexMap<Name, Binding>,
    /// For a server: how its components are ordered.
    #[serde(default)]
    pub order: Order,
    /// Its description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The author's own metadata: a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Expr>>,
    /// Resources that Heat must create first, in addition to those that this one refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Name>,
    /// The condition under which the resource exists: the name of a condition, a boolean, or a call of a condition function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Box<Expr>>,
    /// What happens to it when it leaves the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<Box<Expr>>,
    /// How it is updated: a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_policy: Option<Box<Expr>>,
    /// The identity of an existing resource that takes its place and is not created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<Box<Expr>>,
    /// Where it was added.
    pub at: Source,
}

/// A value given to a property, an input or a forward reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The value.
    pub value: Expr,
    /// Where it was given.
    pub at: Source,
}

/// How the components of one server are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// In the order in which they were declared, like a run list.
    #[default]
    Declared,
    /// Only by the values they exchange and by explicit orders.
    Dataflow,
}

impl Resource {
    /// Heat's type of a server.
    pub const SERVER: &'static str = "OS::Nova::Server";

    /// A resource without properties.
    pub fn new(ty: Name, at: Source) -> Self {
        Self { ty, at, ..Self::default() }
    }

    /// The fields of its definition other than properties, by Heat's names.
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
