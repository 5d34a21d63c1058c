//! Expressions: how a value that may not be known yet is computed, in the model's terms.

mod function;

use serde::{Deserialize, Serialize};

use super::{Name, Tree, tree};

pub use function::template_of;

/// A value, or how it is computed: a tree whose leaves are references.
pub type Expr = Tree<Reference>;

/// What an expression refers to. An [`Expr`] owns its names; [`Referred`] borrows them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", bound(serialize = "N: Serialize, P: Serialize + AsRef<[Step]>"))]
pub enum Reference<N = Name, P = Vec<Step>> {
    /// A parameter. Known at deployment.
    Parameter(N),
    /// The identity of a resource. Known once Heat has created it.
    Resource(N),
    /// An attribute of a resource. Known once Heat has created it.
    Attribute {
        /// The resource.
        resource: N,
        /// The attribute.
        attribute: N,
        /// The path to a part of the attribute's value.
        #[serde(default, skip_serializing_if = "is_whole")]
        path: P,
    },
    /// A component's output. Known once the component has run.
    Output {
        /// The component, as `SERVER/COMPONENT`.
        component: N,
        /// The output.
        output: N,
    },
    /// A forward reference. Known as soon as the value that fulfils it is.
    // The name in the model's format, which earlier versions write and read, too.
    #[serde(rename = "promise")]
    ForwardReference(N),
    /// An export of another stack.
    Import {
        /// The stack.
        stack: N,
        /// The name of the export in that stack.
        export: N,
    },
    /// A handle that another topology made. It is never valid, and only kept so that a check can report it.
    Foreign {
        /// What the handle stands for: `resource`, `output`, `parameter`, ...
        what: N,
    },
}

/// A borrowed reference.
pub type Referred<'a> = Reference<&'a Name, &'a [Step]>;

/// One step of the path into an attribute's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A map key.
    Key(Name),
    /// A list index, from 0.
    Index(u32),
    /// A map key that is the identity of a resource.
    Resource(Name),
}

fn is_whole(path: &impl AsRef<[Step]>) -> bool {
    path.as_ref().is_empty()
}

impl tree::Alternatives for Reference {
    const NAMES: &'static [&'static str] = &[
        "constant",
        "parameter",
        "resource",
        "attribute",
        "output",
        "promise",
        "import",
        "text",
        "list",
        "map",
        "function",
        "foreign",
    ];
}

impl Reference {
    /// Borrows the reference.
    pub fn referred(&self) -> Referred<'_> {
        match self {
            Self::Parameter(name) => Reference::Parameter(name),
            Self::Resource(name) => Reference::Resource(name),
            Self::Attribute { resource, attribute, path } => Reference::Attribute { resource, attribute, path },
            Self::Output { component, output } => Reference::Output { component, output },
            Self::ForwardReference(name) => Reference::ForwardReference(name),
            Self::Import { stack, export } => Reference::Import { stack, export },
            Self::Foreign { what } => Reference::Foreign { what },
        }
    }
}

impl Expr {
    /// A reference to a parameter.
    pub fn parameter(name: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Parameter(name.into()))
    }

    /// A reference to the identity of a resource.
    pub fn resource(name: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Resource(name.into()))
    }

    /// A reference to an attribute of a resource.
    pub fn attribute(resource: impl Into<Name>, attribute: impl Into<Name>, path: Vec<Step>) -> Self {
        Self::Leaf(Reference::Attribute { resource: resource.into(), attribute: attribute.into(), path })
    }

    /// A reference to an output of the component `SERVER/COMPONENT`.
    pub fn output(component: impl Into<Name>, output: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Output { component: component.into(), output: output.into() })
    }

    /// A forward reference.
    pub fn forward_reference(name: impl Into<Name>) -> Self {
        Self::Leaf(Reference::ForwardReference(name.into()))
    }

    /// A reference to an export of another stack.
    pub fn import(stack: impl Into<Name>, export: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Import { stack: stack.into(), export: export.into() })
    }

    /// A handle of another topology; `what` says what it stands for.
    pub fn foreign(what: &str) -> Self {
        Self::Leaf(Reference::Foreign { what: what.into() })
    }

    /// A call of one of Heat's functions, in canonical form: a call that is equivalent to a reference or to text becomes
    /// that.
    pub fn function(name: impl Into<Name>, argument: Self) -> Self {
        function::canonical(name.into(), argument)
    }

    /// All references in it, in source order.
    pub fn references(&self) -> impl Iterator<Item = Referred<'_>> {
        self.each().flat_map(|part| {
            let (own, path): (_, &[Step]) = match part {
                Self::Leaf(leaf @ Reference::Attribute { path, .. }) => (Some(leaf.referred()), path),
                Self::Leaf(leaf) => (Some(leaf.referred()), &[]),
                _ => (part.subject(), &[]),
            };
            let resources = path.iter().filter_map(|step| match step {
                Step::Resource(name) => Some(Reference::Resource(name)),
                Step::Key(_) | Step::Index(_) => None,
            });
            own.into_iter().chain(resources)
        })
    }

    /// The thing that a function refers to by a name among its arguments.
    pub fn subject(&self) -> Option<Referred<'_>> {
        match self {
            Self::Function { name, argument } => function::subject(name, argument),
            _ => None,
        }
    }
}
