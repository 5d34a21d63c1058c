//! Attributes of resources, and the names that decisions, user data and the data space use for references.

use crate::model::{Expr, Name, Reference, Referred, Step};

/// The part of the data space below a server that holds the server's own attributes. The other parts hold components'
/// outputs.
pub(crate) const SERVER_ENTRIES: &str = "server";

/// An attribute of a resource, or its identity.
#[derive(Clone, Copy)]
pub(crate) struct Attribute<'m> {
    pub(crate) resource: &'m Name,
    /// The attribute; `None` for the identity.
    pub(crate) name: Option<&'m Name>,
    pub(crate) path: &'m [Step],
}

impl Attribute<'_> {
    /// The attribute and the path into it: `networks.backbone.0`.
    pub(crate) fn key(&self) -> String {
        let mut key = self.name.map_or_else(|| "id".to_owned(), ToString::to_string);
        for step in self.path {
            key.push('.');
            match step {
                Step::Key(name) | Step::Resource(name) => key.push_str(name),
                Step::Index(index) => key.push_str(&index.to_string()),
            }
        }
        key
    }

    /// The key in a server's user data: `db.networks.backbone.0`.
    pub(crate) fn user_data_key(&self) -> String {
        format!("{}.{}", self.resource, self.key())
    }

    /// The entry in which a server publishes it.
    pub(crate) fn entry(&self) -> String {
        format!("{}/{SERVER_ENTRIES}/{}", self.resource, self.key())
    }
}

/// The references by which decisions can name a value, if it is a single reference. For a server's attribute, these are
/// Heat's own and the entry that the server publishes.
pub fn names_of(value: &Expr) -> Vec<String> {
    match value {
        Expr::Leaf(Reference::Resource(resource)) => {
            let identity = Attribute { resource, name: None, path: &[] };
            vec![identity.user_data_key(), identity.entry(), resource.to_string()]
        }
        Expr::Leaf(Reference::Attribute { resource, attribute, path }) => {
            let attribute = Attribute { resource, name: Some(attribute), path };
            vec![attribute.user_data_key(), attribute.entry()]
        }
        Expr::Leaf(leaf @ (Reference::Parameter(_) | Reference::Output { .. } | Reference::Import { .. })) => {
            vec![text(leaf.referred())]
        }
        Expr::Function { .. } => value.subject().map(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A reference, as a decision names it.
pub(crate) fn text(reference: Referred<'_>) -> String {
    match reference {
        Reference::Parameter(name) | Reference::Resource(name) | Reference::ForwardReference(name) => name.to_string(),
        Reference::Attribute { resource, attribute, path } => {
            Attribute { resource, name: Some(attribute), path }.user_data_key()
        }
        Reference::Output { component, output } => format!("{component}/{output}"),
        Reference::Import { stack, export } => format!("{stack}.{export}"),
        Reference::Foreign { what } => what.to_string(),
    }
}
