//! What every typed resource consists of.

/// Defines a resource: its handle, which stands for what Heat creates, and its properties, which `new` starts.
macro_rules! resource {
    ($(#[$doc:meta])* $handle:ident, $properties:ident, $ty:literal, $schema:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $handle(wattle::author::Resource);

        #[doc = concat!("The properties of a resource of the type `", $ty, "`.")]
        pub struct $properties(wattle::author::Properties);

        impl $handle {
            fn properties() -> $properties {
                $properties(wattle::author::Properties::new($ty, || {
                    serde_json::from_str(include_str!(concat!("../schema/", $schema)))
                        .expect("INVARIANT: the schemas are part of the crate")
                }))
            }

            /// The attribute `name`, by Heat's name, for what has no method.
            pub fn attribute<T>(self, name: &'static str) -> wattle::author::Attribute<T> {
                self.0.attribute(name)
            }

            /// The resource without its type.
            pub fn resource(self) -> wattle::author::Resource {
                self.0
            }
        }

        impl $properties {
            /// Sets a property by Heat's name, for what has no setter.
            #[track_caller]
            pub fn property(
                mut self,
                name: impl Into<String>,
                value: impl wattle::author::IntoProperty<wattle::author::AnyValue>,
            ) -> Self {
                self.0.set(name.into(), value.into_property());
                self
            }

            #[allow(dead_code, reason = "not every resource has a setter of this kind")]
            #[track_caller]
            fn set<T>(mut self, name: &'static str, value: impl wattle::author::IntoProperty<T>) -> Self {
                self.0.set(name, value.into_property());
                self
            }
        }

        impl wattle::author::Part for $properties {
            type Outputs = $handle;

            fn add_to(self, t: &mut wattle::author::Topology, name: &str, at: wattle::model::Source) -> $handle {
                $handle(t.add_resource(name, self.0, at))
            }
        }

        // A property that refers to a resource takes its handle, or the name or id of one that exists already.
        impl wattle::author::IntoProperty<$handle> for $handle {
            fn into_property(self) -> wattle::author::Expression {
                self.0.into()
            }
        }

        impl wattle::author::IntoProperty<wattle::author::AnyValue> for $handle {
            fn into_property(self) -> wattle::author::Expression {
                self.0.into()
            }
        }

        crate::resource::named!($handle: &str, String, wattle::author::Parameter<String>, wattle::author::Attribute<String>);
    };
}

macro_rules! named {
    ($handle:ident: $($name:ty),*) => {$(
        impl wattle::author::IntoProperty<$handle> for $name {
            fn into_property(self) -> wattle::author::Expression {
                self.into()
            }
        }
    )*};
}

/// Defines setters for properties that carry Heat's own names.
macro_rules! setters {
    ($properties:ident { $($(#[$doc:meta])* $name:ident: $ty:ty,)* }) => {
        impl $properties {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $name(self, value: impl wattle::author::IntoProperty<$ty>) -> Self {
                    self.set(stringify!($name), value)
                }
            )*
        }
    };
}

/// A map expression of the given keys.
macro_rules! map {
    ($($key:literal: $value:expr),* $(,)?) => {
        wattle::author::Expression::Map(vec![$(($key.into(), $value)),*])
    };
}

pub(crate) use {map, named, resource, setters};
