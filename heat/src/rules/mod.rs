//! Heat's requirements on resources beyond the values of single properties, for resources that are not in a template but in
//! a blueprint that is being written.
//!
//! What lives here: resources as given, and the faults that Heat would find in them, in the `members` of groups, and in
//! `calls` of functions. What must not: the requirements of each class (`classes`), and places, which the caller knows.

mod calls;
mod members;

use wattle_model::IndexMap;

use crate::evaluate::Value;
use crate::properties::{Properties, Property, What};
use crate::resource::{Broken, How, Maker, Reference, ReferenceKind, Refers, Resource, Subject};
use crate::stack::{World, typed};
use crate::yaml::Span;

pub use calls::{Called, Stands, calls};
use members::of_members;

/// A resource as given.
#[derive(Debug, Default)]
pub struct Asked {
    /// Its type.
    pub ty: String,
    /// The given values of its properties. An unknown value is replaced by some value that it may have.
    pub properties: IndexMap<String, Value>,
    /// The properties that are not fully known yet: they are read, but not checked.
    pub open: Vec<String>,
    /// The resources that it refers to.
    pub references: Vec<String>,
    /// Its metadata.
    pub metadata: Option<Value>,
    /// What happens to it when it leaves the stack.
    pub deletion_policy: Option<String>,
    /// How it is updated.
    pub update_policy: IndexMap<String, Value>,
}

/// A fault of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The property with the refused value, with the path into it. `None` if it is a combination of several.
    pub property: Option<String>,
    /// Why.
    pub why: String,
    /// How to fix it, if that is known.
    pub help: Option<&'static str>,
    /// Which aspect of a group's members it concerns, if it concerns them.
    pub member: Option<OfMember>,
}

/// A fault of a group's members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfMember {
    /// Their type does not exist.
    Type(String),
    /// Their type has no property with this name.
    Property {
        /// The type.
        ty: String,
        /// The name.
        name: String,
        /// The properties that it has.
        known: Vec<String>,
    },
    /// Their properties cannot be combined, or one is missing.
    Together,
}

/// The result of `get_resource` before a resource named `name` of type `ty` is created.
pub fn identity(ty: &str, name: &str) -> Value {
    match crate::classes::refers(ty) {
        Refers::Name => Value::Text(name.to_owned()),
        Refers::Nothing => Value::Null,
        Refers::None => Value::Text("None".to_owned()),
    }
}

/// The faults of each resource, by name. For a resource with a value that its property does not accept, only that is
/// reported.
pub fn refused(resources: &IndexMap<String, Asked>) -> IndexMap<String, Vec<Refused>> {
    let world = World::default();
    let all: IndexMap<String, Resource> =
        resources.iter().map(|(name, asked)| (name.clone(), resource(&world, asked))).collect();
    all.iter()
        .zip(resources.values())
        .filter(|((_, resource), _)| matches!(resource.maker, Maker::Type(_)) && !resource.is_placeholder())
        .map(|((name, resource), asked)| {
            let metadata = asked.metadata.as_ref();
            let subject = Subject { name, resource, all: &all, template: None, metadata, nested: false };
            (name.clone(), of(&world, subject, asked))
        })
        .collect()
}

fn of(world: &World, subject: Subject<'_>, asked: &Asked) -> Vec<Refused> {
    let mut found = values(subject.resource.properties(), "");
    if found.is_empty() {
        // A property that cannot be read here will have another value in the end.
        let together = |Broken { what, help }| Refused { property: None, why: what, help: Some(help), member: None };
        found.extend(subject.broken().filter_map(Result::ok).map(together));
        if found.is_empty() {
            found.extend(of_members(world, subject.resource, 1));
        }
        found.extend(asked.deletion_policy.as_deref().and_then(|policy| subject.kept(policy)).map(together));
    }
    let given = given(&asked.update_policy, &[]);
    let schema = (subject.resource.class().update_policy)();
    found.extend(values(Properties { schema: &schema, translations: &[], given: &given }, "update_policy."));
    found
}

/// Values that are not accepted. The caller has already checked that the properties exist.
fn values(properties: Properties<'_>, before: &str) -> Vec<Refused> {
    let wrongs = properties.wrongs(true).into_iter();
    let is_within = |path: &str| {
        let own = path.split(['.', '[']).next().unwrap_or_default();
        own != path && properties.given.contains_key(own)
    };
    let is_own = |what: &What| matches!(what, What::Unknown { .. } | What::Missing(_));
    let wrongs = wrongs.filter(|wrong| !is_own(&wrong.what) || is_within(&wrong.path));
    let why = |what: &What| match what {
        What::Missing(name) => format!("`{name}` is missing"),
        what => what.why(),
    };
    wrongs
        .map(|wrong| Refused {
            property: Some(format!("{before}{}", wrong.path)),
            why: why(&wrong.what),
            help: None,
            member: None,
        })
        .collect()
}

fn resource(world: &World, asked: &Asked) -> Resource {
    let reference = |name: &String| Reference {
        name: name.clone(),
        kind: ReferenceKind::Name,
        span: Span::default(),
        how: How::Resource,
    };
    typed(Resource {
        ty: asked.ty.clone(),
        maker: world.types.get(&asked.ty).map_or(Maker::None, Maker::Type),
        given: given(&asked.properties, &asked.open),
        external: false,
        references: asked.references.iter().map(reference).collect(),
    })
}

fn given(values: &IndexMap<String, Value>, open: &[String]) -> IndexMap<String, Property> {
    let property = |(name, value): (&String, &Value)| {
        (name.clone(), Property { value: Some(value.clone()), pending: open.contains(name), pair: None })
    };
    values.iter().map(property).collect()
}
