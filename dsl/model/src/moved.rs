//! Names under which things were deployed before.

use serde::{Deserialize, Serialize};

use super::{Kind, Name, Source};

/// Something that was deployed under another name, and stays what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormerName {
    /// What it is: a resource, a module or a component.
    pub kind: Kind,
    /// What it is called now: its qualified name, or `SERVER/COMPONENT`.
    pub name: Name,
    /// What it was called when it was first deployed. For a resource or a module, the whole qualified name, or with a dot in
    /// front the name within the same module; for a component, its name on its server or `SERVER/COMPONENT`.
    pub from: Name,
    /// Where that was said.
    pub at: Source,
}

impl FormerName {
    /// That what is called `name` was `from`.
    pub fn new(kind: Kind, name: Name, from: Name, at: Source) -> Self {
        Self { kind, name, from, at }
    }
}
