//! What Heat asks of resources beyond what each property takes by itself, where they are in no template: of a blueprint
//! that is being written.
//!
//! What lives here: resources as they are given, what Heat would refuse of them and of groups' `members`, and of `calls` of functions.
//! What must not: what each class asks
//! (`classes`), and places, which whoever asks knows.

mod calls;
mod members;

use wattle_model::IndexMap;

use crate::evaluate::Value;
use crate::properties::{Properties, Property, What};
use crate::resource::{Broken, How, Kind, Maker, Reference, Refers, Resource, Subject};
use crate::stack::{World, typed};
use crate::yaml::Span;

pub use calls::{Called, Stands, calls};
use members::of_members;

/// A resource as it is given.
#[derive(Debug, Default)]
pub struct Asked {
    /// Its type.
    pub ty: String,
    /// What is given for its properties. What is not known yet has some value that it may have.
    pub properties: IndexMap<String, Value>,
    /// The properties in which something is not known yet: they are read, and not judged.
    pub open: Vec<String>,
    /// The resources that it refers to.
    pub references: Vec<String>,
    /// What is given as its metadata.
    pub metadata: Option<Value>,
    /// What becomes of it when it leaves the stack.
    pub deletion_policy: Option<String>,
    /// How it is updated.
    pub update_policy: IndexMap<String, Value>,
}

/// What Heat refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The property whose value it is, with the way into it; none if it is several of them together.
    pub property: Option<String>,
    /// Why.
    pub why: String,
    /// What can be done, if that is known.
    pub help: Option<&'static str>,
    /// What it is of a group's members, if it is something of theirs.
    pub member: Option<OfMember>,
}

/// What Heat refuses of a group's members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfMember {
    /// There is no such type.
    Type(String),
    /// Their type has no property of this name, but those.
    Property {
        /// The type.
        ty: String,
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Their properties do not go together, or one is missing.
    Together,
}

/// What `get_resource` gives before a resource called `name` of the type `ty` is made.
pub fn identity(ty: &str, name: &str) -> Value {
    match crate::classes::refers(ty) {
        Refers::Name => Value::Text(name.to_owned()),
        Refers::Nothing => Value::Null,
        Refers::None => Value::Text("None".to_owned()),
    }
}

/// What Heat refuses of each resource, by name; of one with a value that its property does not take, only that.
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
        // A property that cannot be read has some other value in the end.
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

/// Values that do not do. Whether a property is there at all, whoever gives properties knows best.
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
    let reference =
        |name: &String| Reference { name: name.clone(), kind: Kind::Name, span: Span::default(), how: How::Resource };
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
