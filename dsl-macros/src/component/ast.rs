//! The declaration as the author wrote it.

use syn::{Attribute, Expr, Ident, LitStr, Type, Visibility};
use wattle_words::Bandwidth;

use crate::constant::argument;
use crate::{docs, names};

/// A component's declaration.
pub(super) struct Component {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) ident: Ident,
    pub(super) keys: ComponentKeys,
    pub(super) fields: Vec<Field>,
}

/// The keys of `#[component(...)]`.
#[derive(Default)]
pub(super) struct ComponentKeys {
    pub(super) recipe: Option<LitStr>,
    pub(super) chef: Option<LitStr>,
    pub(super) files: Vec<LitStr>,
    pub(super) teardown: Option<LitStr>,
    /// Seconds.
    pub(super) deadline: Option<u64>,
    /// Seconds.
    pub(super) wait: Option<u64>,
    /// Fixed ports.
    pub(super) listen: Vec<Listen>,
    /// The bandwidth between the component and each reader, and where it is declared.
    pub(super) bandwidth: Option<(Bandwidth, LitStr)>,
}

/// `tcp/8000-8010`.
pub(super) struct Listen {
    pub(super) protocol: Protocol,
    pub(super) first: u16,
    pub(super) last: u16,
}

/// A protocol with ports.
#[derive(Clone, Copy)]
pub(super) enum Protocol {
    Tcp,
    Udp,
}

/// A field of the declaration.
pub(super) struct Field {
    pub(super) ident: Ident,
    /// The name without `r#`.
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) role: Role,
    /// The attribute path in a Chef recipe.
    pub(super) path: Option<LitStr>,
    /// Its attributes, except `#[input]` and `#[output]`.
    pub(super) attrs: Vec<Attribute>,
}

/// The role of a field.
pub(super) enum Role {
    Input {
        default: Option<Expr>,
        /// The protocols of the port, if the component listens on it.
        listen: Vec<Protocol>,
    },
    Output {
        bandwidth: Option<Bandwidth>,
        dynamic: bool,
        early: bool,
    },
    /// Neither, or both; an error has been reported.
    Unknown,
}

impl Component {
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| matches!(field.role, Role::Input { .. }))
    }

    pub(super) fn outputs(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| matches!(field.role, Role::Output { .. }))
    }

    /// The builder's name.
    pub(super) fn builder(&self) -> Ident {
        quote::format_ident!("{}Inputs", self.ident)
    }
}

impl Field {
    /// The type of its values: `T` for an input of type `Option<T>`.
    pub(super) fn value_type(&self) -> &Type {
        match self.role {
            Role::Input { .. } => argument(&self.ty, "Option").unwrap_or(&self.ty),
            _ => &self.ty,
        }
    }

    pub(super) fn is_optional(&self) -> bool {
        argument(&self.ty, "Option").is_some()
    }

    /// Whether it is an input that must be wired.
    pub(super) fn is_required(&self) -> bool {
        matches!(self.role, Role::Input { default: None, .. }) && !self.is_optional()
    }

    /// Whether it is an input that has a value if it is not wired.
    pub(super) fn has_default(&self) -> bool {
        matches!(self.role, Role::Input { default: Some(_), .. })
    }

    /// Its name in messages, with an article: `an input`.
    pub(super) fn what(&self) -> &'static str {
        match self.role {
            Role::Input { .. } => "an input",
            Role::Output { .. } => "an output",
            Role::Unknown => "a field",
        }
    }

    /// `OwnerPassword`.
    pub(super) fn camel(&self) -> String {
        names::camel(&self.name)
    }

    /// The first sentence of its documentation.
    pub(super) fn summary(&self) -> String {
        docs::summary(&self.attrs)
    }
}
