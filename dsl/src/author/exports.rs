//! Values that cross stacks.

use std::marker::PhantomData;

use crate::model::{Source, Type};

use super::expression::Expression;
use super::handle::{Attribute, Output, Parameter};
use super::input::{IntoInput, Public};
use super::port::{PortType, scalars};
use super::promise::Promise;
use super::secret::Secret;
use super::text::{Confidential, Open, Text};

/// What a stack lets others read, and shows its operator.
///
/// ```
/// use wattle::prelude::*;
///
/// fn exports(url: Output<Url>, version: Output<String>) -> Exports {
///     Exports::new().entry("url", url).entry("version", version)
/// }
/// # let mut t = Topology::new("demo");
/// # let (url, version) = (t.later("url").output(), t.later("version").output());
/// # assert_eq!(t.finish(exports(url, version)).exports.len(), 2);
/// ```
#[derive(Default)]
pub struct Exports {
    pub(super) entries: Vec<Entry>,
}

pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) stack: Option<&'static str>,
    pub(super) ty: Type,
    pub(super) value: Expression,
    pub(super) at: Source,
}

impl Exports {
    /// Nothing exported.
    pub fn new() -> Self {
        Self::default()
    }

    /// Exports `value` under a name, or under the typed constant ([`Export`]) that importing crates use.
    ///
    /// Secrets go out only under such a constant, which says in its type that they are.
    #[track_caller]
    #[must_use]
    pub fn entry<V>(mut self, name: impl ExportName<V>, value: V) -> Self {
        let at = Source::caller();
        let (stack, (name, ty, value)) = (name.stack(), name.entry(value));
        self.entries.push(Entry { name, stack, ty, value, at });
        self
    }
}

/// A value of another stack, as a constant that the exporting and the importing crate share.
///
/// ```
/// use wattle::prelude::*;
///
/// /// In the crate of the stack `connections`:
/// pub const URL: Export<Url> = Export::new("connections", "url");
///
/// /// In another stack's blueprint:
/// fn portal(t: &mut Topology) -> Output<Url> {
///     t.import(URL)
/// }
/// # portal(&mut Topology::new("portal"));
/// ```
pub struct Export<T> {
    pub(super) stack: &'static str,
    pub(super) name: &'static str,
    ty: PhantomData<fn() -> T>,
}

impl<T> Clone for Export<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Export<T> {}

impl<T> Export<T> {
    /// The export `name` of the stack `stack`.
    pub const fn new(stack: &'static str, name: &'static str) -> Self {
        Self { stack, name, ty: PhantomData }
    }
}

/// What a value of type `V` can be exported as.
#[diagnostic::on_unimplemented(
    message = "`{V}` cannot be exported as `{Self}`",
    label = "not a name under which this value can be exported",
    note = "`Exports::entry` takes a name, or an `Export<T>` whose type is the value's"
)]
pub trait ExportName<V> {
    /// The stack that it names, if it names one.
    fn stack(&self) -> Option<&'static str>;
    /// The entry's name, type and value.
    fn entry(self, value: V) -> (&'static str, Type, Expression);
}

impl<V: Exportable> ExportName<V> for &'static str
where
    V::Type: Public,
{
    fn stack(&self) -> Option<&'static str> {
        None
    }
    fn entry(self, value: V) -> (&'static str, Type, Expression) {
        (self, V::Type::port_type(), value.into_export())
    }
}

impl<T: PortType, V: IntoInput<T>> ExportName<V> for Export<T> {
    fn stack(&self) -> Option<&'static str> {
        Some(self.stack)
    }
    fn entry(self, value: V) -> (&'static str, Type, Expression) {
        (self.name, T::port_type(), value.into_input())
    }
}

/// A value that can be exported under a name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be exported",
    label = "not a value that can be exported",
    note = "an export takes an `Output`, an `Attribute`, a `Parameter`, a `Promise`, text or a constant"
)]
pub trait Exportable {
    /// Its type.
    type Type: PortType;
    /// The value.
    fn into_export(self) -> Expression;
}

macro_rules! deferred {
    ($($handle:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: PortType> Exportable for $handle<T> {
            type Type = T;
            fn into_export(self) -> Expression {
                self.into()
            }
        }
    )*};
}
deferred!(Output Attribute Parameter Promise);

macro_rules! constants {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Exportable for $ty {
            type Type = $ty;
            fn into_export(self) -> Expression {
                Expression::Constant(self.into_value())
            }
        }
    )*};
}
scalars!(constants: booleans integers floats strings written);

#[diagnostic::do_not_recommend]
impl Exportable for &str {
    type Type = String;
    fn into_export(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<S> Exportable for Text<S, Open> {
    type Type = String;
    fn into_export(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<S> Exportable for Text<S, Confidential> {
    type Type = Secret<String>;
    fn into_export(self) -> Expression {
        self.into()
    }
}
