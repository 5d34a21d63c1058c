//! Values whose type only Heat knows.

use crate::model::IndexMap;

use crate::author::expression::Expression;
use crate::author::input::IntoInput;
use crate::author::property::IntoProperty;
use crate::author::text::{AtDeployment, Open, TextPart};
use crate::model;

use super::argument::Argument;

/// A value that Heat computes and whose type is not known here. Every property and every input accepts it; whether it fits
/// is checked at deployment.
#[derive(Clone)]
pub struct Value(pub(super) Expression);

/// Lets any value stand where a property needs another type: a number where text is expected, or a parameter of another
/// type.
///
/// ```
/// use wattle::prelude::*;
///
/// fn ports(t: &mut Topology, first: Parameter<String>) {
///     let ports = [hot::value(first), hot::value(8080)];
///     t.add("wall", RawResource::new("Our::Wall").property("ports", ports));
/// }
/// ```
pub fn value(value: impl Argument) -> Value {
    Value(value.into_argument())
}

/// Nothing: YAML's `null`.
pub fn null() -> Value {
    Value(Expression::Constant(model::Value::Null))
}

/// An empty list.
pub fn empty_list() -> Value {
    Value(Expression::List(Vec::new()))
}

/// An empty map.
pub fn empty_map() -> Value {
    Value(Expression::Map(IndexMap::default()))
}

impl From<Value> for Expression {
    fn from(value: Value) -> Self {
        value.0
    }
}

#[diagnostic::do_not_recommend]
impl Argument for Value {
    fn into_argument(self) -> Expression {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoProperty<T> for Value {
    fn into_property(self) -> Expression {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoInput<T> for Value {
    fn into_input(self) -> Expression {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl TextPart for Value {
    type Stage = AtDeployment;
    type Privacy = Open;
    fn into_part(self) -> Expression {
        self.0
    }
}
