//! Lists, maps, and values whose type Heat does not give.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use wattle::author::{AnyValue, Attribute, Expression, IntoProperty, Parameter, PortType, Public};
use wattle::hot::Json;
use wattle::model::Value;

use super::{AnyRef, IpAddress, Numeric};

/// Values in order, each of which `T` accepts.
///
/// A parameter that is a list of text is accepted as well: its items are known only at deployment.
pub struct ListOf<T>(PhantomData<fn() -> T>);

#[diagnostic::do_not_recommend]
impl<T, S: IntoProperty<T>> IntoProperty<ListOf<T>> for Vec<S> {
    fn into_property(self) -> Expression {
        IntoProperty::<Vec<T>>::into_property(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: IntoProperty<T>, const N: usize> IntoProperty<ListOf<T>> for [S; N] {
    fn into_property(self) -> Expression {
        IntoProperty::<Vec<T>>::into_property(self)
    }
}

/// Values in order, of any types.
///
/// An attribute of this type is a list. Heat does not give the type of its items: `at` declares it.
pub enum AnyList {}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>> IntoProperty<AnyList> for Vec<S> {
    fn into_property(self) -> Expression {
        IntoProperty::<AnyValue>::into_property(self)
    }
}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>, const N: usize> IntoProperty<AnyList> for [S; N] {
    fn into_property(self) -> Expression {
        IntoProperty::<AnyValue>::into_property(self)
    }
}

/// Values by name, of any types.
///
/// An attribute of this type is a map. Heat does not give the type of its values: `at` declares it.
pub enum AnyMap {}

#[diagnostic::do_not_recommend]
impl<S: IntoProperty<AnyValue>> IntoProperty<AnyMap> for BTreeMap<String, S> {
    fn into_property(self) -> Expression {
        IntoProperty::<AnyValue>::into_property(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: Into<String>, S: IntoProperty<AnyValue>, const N: usize> IntoProperty<AnyMap> for [(K, S); N] {
    fn into_property(self) -> Expression {
        Expression::Map(self.into_iter().map(|(name, value)| (name.into().into(), value.into_property())).collect())
    }
}

/// An attribute whose type Heat does not give: `at` declares it.
pub enum Untyped {}

macro_rules! deferred {
    ($($handle:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, U: PortType> IntoProperty<ListOf<T>> for $handle<Vec<U>>
        where
            Self: IntoProperty<Vec<U>>,
        {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<U: PortType> IntoProperty<AnyList> for $handle<Vec<U>>
        where
            Self: IntoProperty<Vec<U>>,
        {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<U: PortType> IntoProperty<AnyMap> for $handle<BTreeMap<String, U>>
        where
            Self: IntoProperty<BTreeMap<String, U>>,
        {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
    )*};
}
deferred!(Parameter Attribute);

macro_rules! untyped {
    ($($ty:ty: $($to:ty),*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl IntoProperty<$to> for Attribute<$ty> {
            fn into_property(self) -> Expression {
                self.into()
            }
        }
    )*)*};
}
untyped! {
    AnyList: AnyList;
    AnyMap: AnyMap;
    Untyped: AnyList, AnyMap, AnyRef, IpAddress, Numeric;
}

// What a function of Heat's may be given.
#[diagnostic::do_not_recommend]
impl Public for AnyList {}
#[diagnostic::do_not_recommend]
impl Public for AnyMap {}
#[diagnostic::do_not_recommend]
impl Public for Untyped {}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyMap> for Parameter<Json> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyList> for Parameter<Json> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoProperty<ListOf<T>> for Attribute<AnyList> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyMap> for Value {
    fn into_property(self) -> Expression {
        self.into()
    }
}
