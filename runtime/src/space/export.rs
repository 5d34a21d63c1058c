//! The values that a stack exports, and those that others read from it.

use serde::{Deserialize, Serialize};
use wattle::model::{IndexMap, Name, Type};

use crate::store::{Access, Principal};

use super::{Keys, ValueSource};

/// The contents of an export's node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// The source of its value, as its own stack sees it. `None` for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ValueSource>,
    /// The keys that verify the signatures of the servers that the value comes from.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub keys: Keys,
}

/// The contents of the node above the exports: the rights that the stack itself grants to each exported entry. Rights
/// of other stacks are granted in addition, and a store cannot be queried for the rights to a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// By entry.
    pub entries: IndexMap<Name, Access>,
}

/// The registration of another stack: for each entry that it reads, the principals that may read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Importer {
    /// By entry.
    pub entries: IndexMap<Name, Vec<Principal>>,
}
