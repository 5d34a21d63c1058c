//! The arguments of Heat's functions.

use std::collections::BTreeMap;

use crate::author::expression::Expression;
use crate::author::handle::{Attribute, Condition, Parameter, Resource};
use crate::author::input::Public;
use crate::author::port::{PortType, scalars};
use crate::author::text::{AtDeployment, Open, Text};
use crate::model;

/// An argument of one of Heat's functions, of any type: every value that is known before the servers run.
#[diagnostic::on_unimplemented(
    message = "Heat's functions do not take `{Self}`",
    label = "not a value that Heat knows",
    note = "they take constants, parameters, attributes, handles of resources, text, what other functions return, and lists and maps (`[(\"key\", value)]`) of them; use `hot::value(...)` to put values of different types into one list or map"
)]
pub trait Argument {
    /// The value.
    fn into_argument(self) -> Expression;
}

/// A handle of a resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a handle of a resource",
    note = "the handle of a resource is what `t.add(name, neutron::Net::new())` returns"
)]
pub trait AsResource: Copy {
    /// The resource.
    fn resource(self) -> Resource;
}

impl AsResource for Resource {
    fn resource(self) -> Resource {
        self
    }
}

macro_rules! constants {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Argument for $ty {
            fn into_argument(self) -> Expression {
                Expression::Constant(PortType::into_value(self))
            }
        }
    )*};
}
scalars!(constants: booleans integers floats strings written);

macro_rules! into {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Argument for $ty {
            fn into_argument(self) -> Expression {
                self.into()
            }
        }
    )*};
}
into! {
    [] &str;
    [] model::Value;
    [] Condition;
    [T: Public] Parameter<T>;
    [T: Public] Attribute<T>;
    [] Text<AtDeployment, Open>;
}

#[diagnostic::do_not_recommend]
impl Argument for &String {
    fn into_argument(self) -> Expression {
        self.as_str().into()
    }
}

#[diagnostic::do_not_recommend]
impl<R: AsResource> Argument for R {
    fn into_argument(self) -> Expression {
        self.resource().into()
    }
}

fn list(items: impl IntoIterator<Item = impl Argument>) -> Expression {
    Expression::List(items.into_iter().map(Argument::into_argument).collect())
}

#[diagnostic::do_not_recommend]
impl<S: Argument> Argument for Vec<S> {
    fn into_argument(self) -> Expression {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<S: Argument, const N: usize> Argument for [S; N] {
    fn into_argument(self) -> Expression {
        list(self)
    }
}

#[diagnostic::do_not_recommend]
impl<S: Argument> Argument for BTreeMap<String, S> {
    fn into_argument(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, item)| (name.into(), item.into_argument())).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<K: Into<String>, S: Argument, const N: usize> Argument for [(K, S); N] {
    fn into_argument(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, item)| (name.into().into(), item.into_argument())).collect())
    }
}
