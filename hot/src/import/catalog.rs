//! The typed catalog: the Rust types, setters and attribute methods for Heat's names.

use std::collections::HashMap;

use wattle_catalog_generate::plan::{self, Field, Nested, Part, Resource, Type};
use wattle_catalog_generate::schema::Types;

/// The catalog's resource types, by Heat's names.
#[derive(Debug)]
pub(super) struct Catalog(HashMap<String, Known>);

/// A resource type of the catalog.
#[derive(Debug)]
pub(super) struct Known {
    /// Its module, which is also its feature: `neutron`.
    pub(super) service: String,
    /// Its description in the catalog.
    pub(super) resource: Resource,
}

impl Catalog {
    /// The catalog that this program was built with.
    pub(super) fn new() -> Self {
        let types: Types = serde_json::from_str(wattle_catalog::TYPES).expect("INVARIANT: the schemas are Heat's own");
        let known = plan::services(&types).into_iter().flat_map(|service| {
            let name = service.name;
            service
                .resources
                .into_iter()
                .map(move |resource| (resource.ty.clone(), Known { service: name.clone(), resource }))
        });
        Self(known.collect())
    }

    /// The type, unless Heat deprecates it or knows only its name: the compiler would warn about a deprecated type, and
    /// Heat has no properties for a removed one.
    pub(super) fn get(&self, ty: &str) -> Option<&Known> {
        let is_there = |known: &&Known| !known.is_hidden() || !known.resource.fields.is_empty();
        self.0.get(ty).filter(|known| known.resource.schema.support.deprecated().is_none()).filter(is_there)
    }

    /// Whether Heat has the type at all.
    pub(super) fn knows(&self, ty: &str) -> bool {
        self.0.contains_key(ty)
    }
}

impl Known {
    /// Whether it needs the catalog's feature `hidden`.
    pub(super) fn is_hidden(&self) -> bool {
        self.resource.schema.support.is_hidden()
    }

    /// A path in the type's module: `neutron::Net`.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}::{name}", self.service)
    }

    /// The setter of a property, or the argument of `new` for it. `None` for properties that Heat hides or deprecates.
    pub(super) fn field(&self, heat: &str) -> Option<&Field> {
        usable(&self.resource.fields, heat)
    }

    /// Whether Heat hides or deprecates the property at the end of a path through maps and lists. Indices of lists are not
    /// part of the path.
    pub(super) fn is_dated(&self, way: &[&str]) -> bool {
        let mut properties = &self.resource.schema.props;
        let mut found = None;
        for name in way {
            let Some(property) = properties.get(*name) else { return false };
            properties = property.item.as_deref().map_or(&property.keys, |item| &item.keys);
            found = Some(property);
        }
        found.is_some_and(|property| property.is_hidden() || property.support.deprecated().is_some())
    }

    /// The nested type of a property.
    pub(super) fn nested(&self, name: &str) -> Option<&Nested> {
        self.resource.parts.iter().find_map(|part| match part {
            Part::Nested(nested) if nested.name == name && (!nested.hidden || self.is_hidden()) => Some(nested),
            _ => None,
        })
    }

    /// The enum variant for one of Heat's values.
    pub(super) fn variant(&self, name: &str, value: &serde_json::Value) -> Option<&str> {
        self.resource.parts.iter().find_map(|part| match part {
            Part::Choice(choice) if choice.name == name && (!choice.hidden || self.is_hidden()) => {
                choice.variants.iter().find(|(_, known)| known == value).map(|(variant, _)| &**variant)
            }
            _ => None,
        })
    }

    /// Whether an enum is numeric, and whether it accepts numbers in addition to its names.
    pub(super) fn numbers(&self, name: &str) -> (bool, bool) {
        self.resource
            .parts
            .iter()
            .find_map(|part| match part {
                Part::Choice(choice) if choice.name == name => {
                    Some((choice.variants.iter().all(|(_, value)| value.is_number()), choice.numbers))
                }
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The method of an attribute, and its type.
    pub(super) fn attribute(&self, heat: &str) -> Option<(&str, &'static str)> {
        self.resource.attributes.iter().find_map(|(method, name, ty, attribute)| {
            let there = !attribute.support.is_hidden() || self.is_hidden();
            let plain = there && attribute.support.deprecated().is_none();
            (name == heat && plain).then_some((&**method, *ty))
        })
    }
}

/// The field with a name, unless Heat hides or deprecates it.
pub(super) fn usable<'f>(fields: &'f [Field], heat: &str) -> Option<&'f Field> {
    fields
        .iter()
        .find(|field| field.heat == heat && !field.schema.is_hidden() && field.schema.support.deprecated().is_none())
}

/// What is known about the Rust type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    /// `&str`.
    Text,
    /// `bool`.
    Boolean,
    /// A literal whose type is inferred.
    Integer,
    /// A literal with a specific type.
    Wide(&'static str),
    /// `f64`.
    Float,
    /// `Parameter<T>`.
    Parameter(&'static str),
    /// `Attribute<T>`.
    Attribute(&'static str),
    /// A typed handle: the type, and the kinds of references it can be used as.
    Handle(String, Vec<&'static str>),
    /// `wattle::author::Resource`.
    Resource,
    /// `text!`.
    Written,
    /// `hot::Value`.
    Value,
    /// `hot::Condition`.
    Condition,
    /// An array of this length.
    Array(Box<Ty>, usize),
    /// An array of this many names and values.
    Map(Box<Ty>, usize),
}

impl Ty {
    /// Whether a property that accepts anything accepts it.
    pub(super) fn is_anything(&self) -> bool {
        match self {
            Self::Condition | Self::Wide("u64") => false,
            Self::Attribute(ty) => !matches!(*ty, "Untyped" | "AnyMap" | "AnyList"),
            Self::Array(item, _) | Self::Map(item, _) => item.is_anything(),
            _ => true,
        }
    }

    /// Whether a property of type `ty` accepts it. Literals are judged by their value instead.
    pub(super) fn fits(&self, ty: &Type, known: &Known) -> bool {
        let named = |names: &[&str]| matches!(ty, Type::Named(name) if names.contains(name));
        let textual = || {
            named(&["String", "IpAddress", "Cidr", "Mac", "IpOrCidr", "AnyRef", "SecretText"])
                || matches!(ty, Type::Reference(_))
        };
        match self {
            Self::Value => true,
            _ if named(&["AnyValue"]) => self.is_anything(),
            Self::Parameter(own) | Self::Attribute(own) => {
                let is_parameter = matches!(self, Self::Parameter(_));
                match (*own, ty) {
                    ("String", Type::Choice(name)) => !known.numbers(name).0,
                    ("i64" | "u32" | "u8", Type::Choice(name)) => match known.numbers(name) {
                        (true, _) => true,
                        (_, numbered) => numbered && *own == "u8",
                    },
                    ("String", _) => textual(),
                    ("Secret<String>", _) => named(&["SecretText"]),
                    ("hot::Json", _) => is_parameter && named(&["AnyMap", "AnyList"]),
                    ("Vec<String>" | "AnyList", Type::List(_)) => true,
                    ("Vec<String>", _) => named(&["AnyList"]),
                    ("Untyped", _) => named(&["AnyList", "AnyMap", "AnyRef", "IpAddress", "Numeric"]),
                    (own @ ("u32" | "u64" | "i64" | "f64"), Type::Named("Numeric")) => {
                        is_parameter || matches!(own, "i64" | "f64")
                    }
                    (own, Type::Named(name)) => own == *name,
                    _ => false,
                }
            }
            Self::Handle(_, kinds) => match ty {
                Type::Reference(kind) => kinds.contains(kind),
                _ => named(&["AnyRef"]),
            },
            Self::Resource => named(&["AnyRef"]) || matches!(ty, Type::Reference(_)),
            Self::Written => named(&["String", "Cidr", "AnyRef"]) || matches!(ty, Type::Reference(_)),
            _ => false,
        }
    }
}
