//! What a stack lets others read, and what others read of it.

use serde::{Deserialize, Serialize};
use wattle::model::{IndexMap, Name, Type};

use crate::store::{Access, Principal};

use super::{Keys, Source};

/// An export, as its node holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Where its value comes from, in the terms of its own stack; none for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Source>,
    /// What signatures of the servers are judged by that the value comes from.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub keys: Keys,
}

/// What the node above the exports holds: the rights that the stack itself grants to each entry that is exported. Rights
/// of other stacks are granted besides, and a store cannot be asked for the rights that it keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// By entry.
    pub entries: IndexMap<Name, Access>,
}

/// What another stack reads: by entry, who of it may.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Importer {
    /// By entry.
    pub entries: IndexMap<Name, Vec<Principal>>,
}
