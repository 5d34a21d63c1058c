//! Expressions: how a value comes about that may not be known yet, in the model's terms.

mod function;

use serde::{Deserialize, Serialize};

use super::{Name, Tree, tree};

pub use function::template_of;

/// A value, or how it comes about: a tree whose leaves are references.
pub type Expr = Tree<Reference>;

/// What an expression refers to. Its names are owned in an [`Expr`], and borrowed where it is looked at: [`Referred`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", bound(serialize = "N: Serialize, P: Serialize + AsRef<[Step]>"))]
pub enum Reference<N = Name, P = Vec<Step>> {
    /// A parameter: known at deployment.
    Parameter(N),
    /// The identity of a resource: known once Heat made it.
    Resource(N),
    /// An attribute of a resource: known once Heat made it.
    Attribute {
        /// The resource.
        resource: N,
        /// The attribute.
        attribute: N,
        /// The way to a part of the attribute's value.
        #[serde(default, skip_serializing_if = "is_whole")]
        path: P,
    },
    /// A component's output: known once the component ran.
    Output {
        /// The component, as `SERVER/COMPONENT`.
        component: N,
        /// The output.
        output: N,
    },
    /// A promise: known when what fulfils it is.
    Promise(N),
    /// An export of another stack.
    Import {
        /// The stack.
        stack: N,
        /// The export's name there.
        export: N,
    },
    /// A handle that another topology made. Never sound; kept so that the check can say so.
    Foreign {
        /// What the handle stands for: `resource`, `output`, `parameter`, ...
        what: N,
    },
}

/// A reference that is looked at.
pub type Referred<'a> = Reference<&'a Name, &'a [Step]>;

/// One step into an attribute's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A map's key.
    Key(Name),
    /// A list's index, from 0.
    Index(u32),
    /// A map's key that is the identity of a resource.
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
    /// The reference, looked at.
    pub fn referred(&self) -> Referred<'_> {
        match self {
            Self::Parameter(name) => Reference::Parameter(name),
            Self::Resource(name) => Reference::Resource(name),
            Self::Attribute { resource, attribute, path } => Reference::Attribute { resource, attribute, path },
            Self::Output { component, output } => Reference::Output { component, output },
            Self::Promise(name) => Reference::Promise(name),
            Self::Import { stack, export } => Reference::Import { stack, export },
            Self::Foreign { what } => Reference::Foreign { what },
        }
    }
}

impl Expr {
    /// A parameter.
    pub fn parameter(name: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Parameter(name.into()))
    }

    /// The identity of a resource.
    pub fn resource(name: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Resource(name.into()))
    }

    /// An attribute of a resource.
    pub fn attribute(resource: impl Into<Name>, attribute: impl Into<Name>, path: Vec<Step>) -> Self {
        Self::Leaf(Reference::Attribute { resource: resource.into(), attribute: attribute.into(), path })
    }

    /// An output of a component, which is `SERVER/COMPONENT`.
    pub fn output(component: impl Into<Name>, output: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Output { component: component.into(), output: output.into() })
    }

    /// A promise.
    pub fn promise(name: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Promise(name.into()))
    }

    /// An export of another stack.
    pub fn import(stack: impl Into<Name>, export: impl Into<Name>) -> Self {
        Self::Leaf(Reference::Import { stack: stack.into(), export: export.into() })
    }

    /// A handle of another topology, of whatever `what` says.
    pub fn foreign(what: &str) -> Self {
        Self::Leaf(Reference::Foreign { what: what.into() })
    }

    /// The value of one of Heat's functions, in its one form: what a reference or text says is that.
    pub fn function(name: impl Into<Name>, argument: Self) -> Self {
        function::canonical(name.into(), argument)
    }

    /// Everything that it refers to, in the order in which it was written.
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

    /// What a function refers to by a name among its arguments.
    pub fn subject(&self) -> Option<Referred<'_>> {
        match self {
            Self::Function { name, argument } => function::subject(name, argument),
            _ => None,
        }
    }
}
