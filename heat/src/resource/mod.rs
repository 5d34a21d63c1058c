//! A resource of a stack: what makes it, what is given for its properties, and what it refers to.
//!
//! What lives here: [`Resource`], and what a class can say of resources ([`Class`]). What must not: what any one class says
//! (`classes`), and which resources there are (`stack`).

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
pub(crate) use reference::{How, Kind, Reference, references, within as references_within};
pub(crate) use subject::Subject;

/// A resource that is there.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Its type as written.
    pub(crate) ty: String,
    /// What makes it.
    pub(crate) maker: Maker,
    /// What is given for its properties.
    pub(crate) given: IndexMap<String, Property>,
    /// Whether it stands for a thing outside of Heat.
    pub(crate) external: bool,
    /// What it refers to and depends on by the template's words.
    pub(crate) references: Vec<Reference>,
}

/// What makes a resource.
#[derive(Clone, Debug)]
pub(crate) enum Maker {
    /// A type of Heat's.
    Type(Arc<Type>),
    /// A template.
    Template(Arc<Provider>),
    /// Nothing: there is no such type.
    None,
}

/// A resource type that is Heat's own.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    /// Its name.
    pub(crate) name: String,
    /// Its properties and attributes.
    pub(crate) schema: Schema,
    /// Whether it is only a name: it takes any property, and has any attribute.
    pub(crate) placeholder: bool,
    /// What it does beyond its schema.
    pub(crate) class: &'static Class,
}

impl Resource {
    /// The name of the type that makes it, if it is one of Heat's.
    pub(crate) fn made_by(&self) -> &str {
        match &self.maker {
            Maker::Type(ty) => &ty.name,
            Maker::Template(_) | Maker::None => "",
        }
    }

    /// What its type does beyond its schema.
    pub(crate) fn class(&self) -> &'static Class {
        match &self.maker {
            Maker::Type(ty) => ty.class,
            Maker::Template(_) | Maker::None => &Class::PLAIN,
        }
    }

    /// Whether its type is only a name.
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

    /// Whether it is of the type, or stands for it.
    pub(crate) fn is(&self, ty: &str) -> bool {
        self.ty == ty || self.made_by() == ty
    }

    /// What a property is; nothing where it cannot be read.
    pub(crate) fn property(&self, key: &str) -> Value {
        self.properties().get(key).unwrap_or(Value::Null)
    }
}

/// What is given for properties.
pub(crate) fn given(scope: &Scope<'_>, properties: Option<&Node>) -> IndexMap<String, Property> {
    let Some(Tree::Map(pairs)) = properties.map(|node| &*node.tree) else { return IndexMap::default() };
    let property = |pair: &Pair| {
        let value = scope.value(&pair.value).ok();
        // What is computed of a parameter that nobody has given is not judged either.
        let pending = reference::refers(scope, &pair.value) || value.as_ref().is_some_and(|value| !value.is_known());
        Property { value, pending, pair: Some(pair.clone()) }
    };
    pairs.iter().map(|pair| (pair.key.as_key(), property(pair))).collect()
}
