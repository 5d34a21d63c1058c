//! A value as the author wired it, before handles become names.

use crate::model::{Binding, Tree};

use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Condition, Output, Parameter, Resource};

/// Any value that can be wired. Every handle, constant, list and text turns into one.
pub type Expression = Tree<Handle>;

/// The part of an expression that is not known while the blueprint runs.
#[derive(Clone)]
pub enum Handle {
    /// A parameter.
    Parameter(Parameter<()>),
    /// The identity of a resource.
    Resource(Resource),
    /// An attribute of a resource.
    Attribute(Attribute<()>),
    /// A component's output, a forward reference, or another stack's export.
    Output(Output<()>),
    /// The name of a condition.
    Condition(Condition),
    /// The name of a parameter or of a resource, for functions that take a name.
    NameOf(Box<Handle>),
    /// A value that is wired already, with its place.
    Bound(Binding),
}

impl From<Resource> for Expression {
    fn from(resource: Resource) -> Self {
        Self::Leaf(Handle::Resource(resource))
    }
}

impl From<Condition> for Expression {
    fn from(condition: Condition) -> Self {
        Self::Leaf(Handle::Condition(condition))
    }
}

impl<T> From<ForwardReference<T>> for Expression {
    fn from(forward: ForwardReference<T>) -> Self {
        forward.output().into()
    }
}

macro_rules! typed {
    ($($handle:ident)*) => {$(
        impl<T> From<$handle<T>> for Expression {
            fn from(handle: $handle<T>) -> Self {
                Self::Leaf(Handle::$handle(handle.untyped()))
            }
        }
    )*};
}
typed!(Output Attribute Parameter);
