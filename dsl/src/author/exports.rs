//! Values that stacks pass to each other.

use std::marker::PhantomData;

use crate::model::{Source, Type};

use super::expression::Expression;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter};
use super::input::{IntoInput, Public};
use super::port::{PortType, scalars};
use super::secret::Secret;
use super::text::{Confidential, Open, Text};

/// The values that other stacks can read and that the operator is shown.
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
    /// Exports nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Exports `value` under a name, or under the typed constant ([`Export`]) that importing crates use.
    ///
    /// A secret can only be exported under a constant, because the constant's type says that it is a secret.
    #[track_caller]
    #[must_use]
    pub fn entry<N, V: ExportAs<N>>(mut self, name: N, value: V) -> Self {
        let at = Source::caller();
        let (stack, (name, ty, value)) = (V::stack(&name), value.entry(name));
        self.entries.push(Entry { name, stack, ty, value, at });
        self
    }
}

/// A value that another stack exports, as a constant that the exporting and the importing crate share.
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

/// A value that can be exported under a name of type `N`: under text, or under a typed constant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be exported under this name",
    label = "this is `{Self}`, the name is `{N}`",
    note = "an export takes an `Output`, an `Attribute`, a `Parameter`, a `ForwardReference`, text or a constant; under an `Export<T>`, one of that type; export a struct that is not known yet as a whole",
    note = "the name must be a constant: `\"url\"`, or an `Export<T>`",
    note = "export a secret under a constant of a secret type: `pub const TOKEN: Export<Secret<String>> = Export::new(\"STACK\", \"token\")`"
)]
pub trait ExportAs<N> {
    /// The stack that the name belongs to, if it names one.
    fn stack(name: &N) -> Option<&'static str>;
    /// The entry's name, type and value.
    fn entry(self, name: N) -> (&'static str, Type, Expression);
}

impl<V: Exportable> ExportAs<&'static str> for V
where
    V::Type: Public,
{
    fn stack(_: &&'static str) -> Option<&'static str> {
        None
    }
    fn entry(self, name: &'static str) -> (&'static str, Type, Expression) {
        (name, V::Type::port_type(), self.into_export())
    }
}

#[diagnostic::do_not_recommend]
impl<T: PortType, V: IntoInput<T>> ExportAs<Export<T>> for V {
    fn stack(name: &Export<T>) -> Option<&'static str> {
        Some(name.stack)
    }
    fn entry(self, name: Export<T>) -> (&'static str, Type, Expression) {
        (name.name, T::port_type(), self.into_input())
    }
}

/// A value that can be exported under a name.
///
/// It has no diagnostic of its own: the compiler shows that of [`ExportAs`], which stands on the same type.
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
deferred!(Output Attribute Parameter ForwardReference);

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
