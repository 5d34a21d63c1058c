//! What became of each reference of a model.

use crate::model::{Expr, Name, Reference, Referred, Source};

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
    pub(super) made: Vec<Decision>,
}

impl Decisions {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, made: Vec::new() }
    }

    pub(super) fn note(&mut self, decision: impl FnOnce() -> Decision) {
        if self.wanted {
            self.made.push(decision());
        }
    }
}

/// The references that decisions can name a value by, if it is one reference: of a server's attribute Heat's own and the
/// entry that the server publishes.
pub fn names_of(value: &Expr) -> Vec<String> {
    let attribute = |resource: &Name, key: &str| {
        vec![format!("{resource}.{key}"), format!("{resource}/{}/{key}", super::plan::SERVER_ENTRIES)]
    };
    match value {
        Expr::Leaf(Reference::Resource(name)) => {
            let mut names = attribute(name, "id");
            names.push(name.to_string());
            names
        }
        Expr::Leaf(Reference::Attribute { resource, attribute: name, path }) => {
            let key = super::plan::Attribute { resource, name: Some(name), path }.key();
            attribute(resource, &key)
        }
        Expr::Leaf(leaf @ (Reference::Parameter(_) | Reference::Output { .. } | Reference::Import { .. })) => {
            vec![text(leaf.referred())]
        }
        Expr::Function { .. } => value.subject().map(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A reference as a decision names it.
pub(crate) fn text(reference: Referred<'_>) -> String {
    match reference {
        Reference::Parameter(name) | Reference::Resource(name) | Reference::Promise(name) => name.to_string(),
        Reference::Attribute { resource, attribute, path } => {
            let attribute = super::plan::Attribute { resource, name: Some(attribute), path };
            format!("{resource}.{}", attribute.key())
        }
        Reference::Output { component, output } => format!("{component}/{output}"),
        Reference::Import { stack, export } => format!("{stack}.{export}"),
        Reference::Foreign { what } => what.to_string(),
    }
}
