//! How each reference of a model was resolved.

use crate::model::{Name, Source};

/// How one reference was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The reader, which contains the reference.
    pub reader: Reader,
    /// The target of the reference: `db_password`, `db.networks.backbone.0`, `db/db2/jdbc_base`, ...
    pub reference: String,
    /// How the value gets there.
    pub way: Way,
    /// Where the author wrote it.
    pub at: Source,
}

/// Something that contains a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    /// An input of a component.
    Input {
        /// The component, as `SERVER/COMPONENT`.
        component: Name,
        /// The input.
        input: Name,
    },
    /// A property of a resource, or a setting such as `condition`.
    Property {
        /// The resource.
        resource: Name,
        /// The property.
        property: Name,
    },
    /// An export.
    Export(Name),
    /// An output of the stack that is not an export.
    Output(Name),
    /// A requirement.
    Requirement(Name),
}

/// How a value gets to its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// Heat resolves it.
    Heat,
    /// It is written into the data space with the seed, before Heat starts.
    Seed,
    /// The reading server gets it in its user data.
    UserData,
    /// It is an entry of the data space, written at run time.
    Entry,
}

/// The decisions so far, if the caller requested them.
pub(crate) struct Decisions {
    wanted: bool,
    pub(crate) made: Vec<Decision>,
}

impl Decisions {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, made: Vec::new() }
    }

    pub(crate) fn note(&mut self, decision: impl FnOnce() -> Decision) {
        if self.wanted {
            self.made.push(decision());
        }
    }
}
