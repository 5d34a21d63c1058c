//! What became of each reference of a model.

use crate::model::{Name, Source};

/// What became of one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Who refers to something.
    pub reader: Reader,
    /// What is referred to: `db_password`, `db.networks.backbone.0`, `db/db2/jdbc_base`, ...
    pub reference: String,
    /// How the value gets there.
    pub way: Way,
    /// Where the author wrote it.
    pub at: Source,
}

/// Who refers to something.
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
    /// An output of the stack that is no export.
    Output(Name),
    /// A requirement.
    Requirement(Name),
}

/// How a value gets to who refers to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// Heat resolves it.
    Heat,
    /// It is written into the data space with the seed, before Heat begins.
    Seed,
    /// The reading server is told by its user data.
    UserData,
    /// It is an entry of the data space, written at run time.
    Entry,
}

/// The decisions so far, if they are wanted.
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
