//! What every typed resource consists of.

// What generated modules use; each uses some of it.
#[allow(unused_imports, reason = "what is needed depends on the features")]
pub(crate) use crate::{generated::references::*, values::*};
#[allow(unused_imports, reason = "what is needed depends on the features")]
pub(crate) use wattle::author::{AnyValue, Attribute, IntoProperty};

/// Defines a resource: its handle, which stands for what Heat creates, and its properties, which `new` starts.
///
/// With `staged` before the handle, the type of the properties says whether the flavor is set.
macro_rules! resource {
    ($(#[$meta:meta])* $handle:ident, $properties:ident, $ty:literal, $($kind:ident)*) => {
        $(#[$meta])*
        #[doc(alias = $ty)]
        #[derive(Clone, Copy)]
        pub struct $handle(pub(crate) wattle::author::Resource);

        #[doc = concat!("The properties of a resource of the type `", $ty, "`.")]
        #[must_use = "a resource exists only once it is added: `t.add(name, resource)`"]
        pub struct $properties(pub(crate) wattle::author::Properties);

        impl $handle {
            #[track_caller]
            pub(crate) fn begin() -> $properties {
                $properties(wattle::author::Properties::new($ty, wattle_heat::schema::schema))
            }
        }

        impl $properties {
            crate::resource::setting!();
        }

        impl wattle::author::Part for $properties {
            type Outputs = $handle;
            type State = ();

            fn add_to(self, t: &mut wattle::author::Topology, name: &str, at: wattle::model::Source) -> $handle {
                $handle(t.add_resource(name, self.0, at))
            }
        }

        #[diagnostic::do_not_recommend]
        impl wattle::hot::Member for $properties {
            fn into_properties(self) -> wattle::author::Properties {
                self.0
            }
        }

        crate::resource::handle!($handle: $($kind)*);
    };
    ($(#[$meta:meta])* staged $handle:ident, $properties:ident, $ty:literal, $($kind:ident)*) => {
        $(#[$meta])*
        #[doc(alias = $ty)]
        #[derive(Clone, Copy)]
        pub struct $handle(pub(crate) wattle::author::Resource);

        #[doc = concat!("The properties of a resource of the type `", $ty, "`; `F` says whether its flavor is set.")]
        #[must_use = "a resource exists only once it is added: `t.add(name, resource)`"]
        pub struct $properties<F = crate::nova::WithFlavor>(
            pub(crate) wattle::author::Properties,
            std::marker::PhantomData<fn() -> F>,
        );

        impl $handle {
            #[track_caller]
            pub(crate) fn begin() -> $properties<crate::nova::WithoutFlavor> {
                $properties(wattle::author::Properties::new($ty, wattle_heat::schema::schema), std::marker::PhantomData)
            }
        }

        impl<F> $properties<F> {
            crate::resource::setting!();

            #[track_caller]
            fn staged<T>(
                mut self,
                name: &'static str,
                value: impl wattle::author::IntoProperty<T>,
            ) -> $properties {
                self.0.set(name, value.into_property());
                $properties(self.0, std::marker::PhantomData)
            }
        }

        impl<F> wattle::author::Part for $properties<F> {
            type Outputs = $handle;
            type State = crate::nova::ServerState<F>;

            fn add_to(self, t: &mut wattle::author::Topology, name: &str, at: wattle::model::Source) -> $handle {
                $handle(t.add_resource(name, self.0, at))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F> wattle::hot::Member for $properties<F> {
            fn into_properties(self) -> wattle::author::Properties {
                self.0
            }
        }

        crate::resource::handle!($handle: $($kind)*);
    };
}

/// What all properties have.
macro_rules! setting {
    () => {
        /// Sets a property under Heat's name. Use it for properties without a setter.
        #[track_caller]
        pub fn property(
            mut self,
            name: impl Into<String>,
            value: impl wattle::author::IntoProperty<wattle::author::AnyValue>,
        ) -> Self {
            self.0.set(name.into(), value.into_property());
            self
        }

        #[allow(dead_code, reason = "some types have no property at all")]
        #[track_caller]
        fn set<T>(mut self, name: &'static str, value: impl wattle::author::IntoProperty<T>) -> Self {
            self.0.set(name, value.into_property());
            self
        }
    };
}

/// What all handles have, and where a handle can be used.
macro_rules! handle {
    ($handle:ident: $($kind:ident)*) => {
        impl $handle {
            /// Everything that the service reports about it.
            pub fn show(self) -> wattle::author::Attribute<crate::values::AnyMap> {
                self.0.attribute("show")
            }

            /// The attribute `name`, under Heat's name. Use it for attributes without a method.
            pub fn attribute<T>(self, name: &'static str) -> wattle::author::Attribute<T> {
                self.0.attribute(name)
            }

            /// The resource without its type.
            pub fn resource(self) -> wattle::author::Resource {
                self.0
            }
        }

        // Only to say that it has been added: its state is never complete.
        #[diagnostic::do_not_recommend]
        impl wattle::author::Part for $handle {
            type Outputs = Self;
            type State = wattle::author::AddedBefore<Self>;

            fn add_to(self, _: &mut wattle::author::Topology, _: &str, _: wattle::model::Source) -> Self {
                self
            }
        }

        impl wattle::hot::AsResource for $handle {
            fn resource(self) -> wattle::author::Resource {
                self.0
            }
        }

        crate::resource::given!($handle: wattle::author::AnyValue, crate::values::AnyRef $(, $kind)*);
    };
}

macro_rules! given {
    ($handle:ident: $($ty:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$ty> for $handle {
            fn into_property(self) -> wattle::author::Expression {
                self.0.into()
            }
        }
    )*};
}

/// Defines a map with fixed keys.
macro_rules! nested {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone)]
        #[must_use = "it is a part of a property, and does nothing by itself"]
        pub struct $name(Vec<(wattle::model::Name, wattle::author::Expression)>);

        impl $name {
            fn begin() -> Self {
                Self(Vec::new())
            }

            pub(crate) fn set<T>(mut self, key: &'static str, value: impl wattle::author::IntoProperty<T>) -> Self {
                self.0.push((key.into(), value.into_property()));
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$name> for $name {
            fn into_property(self) -> wattle::author::Expression {
                wattle::author::Expression::Map(self.0.into_iter().collect())
            }
        }
    };
}

/// Defines the possible values of a property. A parameter or an attribute that holds one of them is accepted as well.
macro_rules! choice {
    ($(#[$meta:meta])* numeric $name:ident { $($variant:ident = $value:literal,)* }) => {
        crate::resource::choice!(@ $(#[$meta])* $name { $($variant = $value,)* });
        crate::resource::deferred!($name: u8 u32 i64);
    };
    ($(#[$meta:meta])* numbered $name:ident { $($variant:ident = $value:literal,)* }) => {
        crate::resource::choice!(@ $(#[$meta])* $name { $($variant = $value,)* } Number);
        crate::resource::deferred!($name: String u8);
    };
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $value:literal,)* }) => {
        crate::resource::choice!(@ $(#[$meta])* $name { $($variant = $value,)* });
        crate::resource::deferred!($name: String);
    };
    (@ $(#[$meta:meta])* $name:ident { $($variant:ident = $value:literal,)* } $($number:ident)?) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`.")] $variant,)*
            $(
                /// By its number.
                $number(u8),
            )?
        }

        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$name> for $name {
            fn into_property(self) -> wattle::author::Expression {
                match self {
                    $(Self::$variant => wattle::author::Expression::from($value),)*
                    $(Self::$number(number) => wattle::author::Expression::from(number),)?
                }
            }
        }
    };
}

macro_rules! deferred {
    ($name:ident: $($ty:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$name> for wattle::author::Parameter<$ty> {
            fn into_property(self) -> wattle::author::Expression {
                self.into()
            }
        }
        #[diagnostic::do_not_recommend]
        impl wattle::author::IntoProperty<$name> for wattle::author::Attribute<$ty> {
            fn into_property(self) -> wattle::author::Expression {
                self.into()
            }
        }
    )*};
}

#[allow(unused_imports, reason = "what is needed depends on the features")]
pub(crate) use {choice, deferred, given, handle, nested, resource, setting};
