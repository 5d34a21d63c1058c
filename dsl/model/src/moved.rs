//! Names under which things were deployed before.

use serde::{Deserialize, Serialize};

use super::{ElementKind, Name, Source};

/// Something that was deployed under another name and keeps its identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormerName {
    /// What it is: a resource, a module or a component.
    pub kind: ElementKind,
    /// Its current name: a qualified name, or `SERVER/COMPONENT`.
    pub name: Name,
    /// The name under which it was first deployed. For a resource or a module this is the whole qualified name, or, with a
    /// leading dot, the name within the same module. For a component it is the name on its server, or `SERVER/COMPONENT`.
    pub from: Name,
    /// Where this was declared.
    pub at: Source,
}

impl FormerName {
    /// Declares that `name` was called `from`.
    pub fn new(kind: ElementKind, name: Name, from: Name, at: Source) -> Self {
        Self { kind, name, from, at }
    }
}
