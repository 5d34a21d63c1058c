//! A resource of a stack: its implementation, its given properties, and its references.
//!
//! What lives here: [`Resource`], and what a class can declare about resources ([`Class`]). What must not: the declarations
//! of any one class (`classes`), and which resources exist (`stack`).

mod change;
mod class;
mod member;
mod provider;
mod reference;
mod subject;
pub(crate) mod values;

use std::sync::Arc;

use wattle_model::{IndexMap, Name, PropertySchema, Schema};

use crate::evaluate::{Scope, Value};
use crate::properties::{Properties, Property};
use crate::yaml::{Node, Pair, Tree};

pub(crate) use change::{Change, Given};
pub(crate) use class::{Asked, Broken, Class, Found, Group, Refers, Ruled};
pub(crate) use member::Member;
pub(crate) use provider::Provider;
pub(crate) use reference::{How, Reference, ReferenceKind, references, within as references_within};
pub(crate) use subject::Subject;

/// A resource that exists.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Its type, as written.
    pub(crate) ty: String,
    /// Its implementation.
    pub(crate) maker: Maker,
    /// The given values of its properties.
    pub(crate) given: IndexMap<String, Property>,
    /// Whether it refers to something outside of Heat.
    pub(crate) external: bool,
    /// Its explicit references and dependencies in the template.
    pub(crate) references: Vec<Reference>,
}

/// The implementation of a resource.
#[derive(Clone, Debug)]
pub(crate) enum Maker {
    /// One of Heat's types.
    Type(Arc<Type>),
    /// A template.
    Template(Arc<Provider>),
    /// Nothing, because there is no such type.
    None,
}

/// A resource type that Heat has itself.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    /// Its name.
    pub(crate) name: String,
    /// Its properties and attributes.
    pub(crate) schema: Schema,
    /// Whether it is a placeholder, which accepts any property and has any attribute.
    pub(crate) placeholder: bool,
    /// Its behaviour beyond its schema.
    pub(crate) class: &'static Class,
}

impl Resource {
    /// The name of the type that implements it, if it is one of Heat's.
    pub(crate) fn made_by(&self) -> &str {
        match &self.maker {
            Maker::Type(ty) => &ty.name,
            Maker::Template(_) | Maker::None => "",
        }
    }

    /// The behaviour of its type beyond its schema.
    pub(crate) fn class(&self) -> &'static Class {
        match &self.maker {
            Maker::Type(ty) => ty.class,
            Maker::Template(_) | Maker::None => &Class::PLAIN,
        }
    }

    /// Whether its type is a placeholder.
    pub(crate) fn is_placeholder(&self) -> bool {
        matches!(&self.maker, Maker::Type(ty) if ty.placeholder)
    }

    /// Its properties.
    pub(crate) fn properties(&self) -> Properties<'_> {
        static NOTHING: std::sync::LazyLock<IndexMap<Name, PropertySchema>> =
            std::sync::LazyLock::new(IndexMap::default);
        let schema = match &self.maker {
            Maker::Type(ty) => &ty.schema.properties,
            Maker::Template(provider) => &provider.properties,
            Maker::None => &*NOTHING,
        };
        Properties { schema, translations: self.class().translates, given: &self.given }
    }

    /// Whether it has the type, or refers to a resource of that type.
    pub(crate) fn is(&self, ty: &str) -> bool {
        self.ty == ty || self.made_by() == ty
    }

    /// The value of a property. Null if it cannot be read.
    pub(crate) fn property(&self, key: &str) -> Value {
        self.properties().get(key).unwrap_or(Value::Null)
    }
}

/// The given values of properties.
pub(crate) fn given(scope: &Scope<'_>, properties: Option<&Node>) -> IndexMap<String, Property> {
    let Some(Tree::Map(pairs)) = properties.map(|node| &*node.tree) else { return IndexMap::default() };
    let property = |pair: &Pair| {
        let value = scope.value(&pair.value).ok();
        // Values computed from a parameter without a value are not checked either.
        let pending = reference::refers(scope, &pair.value) || value.as_ref().is_some_and(|value| !value.is_known());
        Property { value, pending, pair: Some(pair.clone()) }
    };
    pairs.iter().map(|pair| (pair.key.as_key(), property(pair))).collect()
}
