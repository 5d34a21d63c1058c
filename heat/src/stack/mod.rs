//! A stack as Heat has it before it makes anything: the resources that are there, with what is given for them.
//!
//! What lives here: which resources there are, what makes each, its properties with the functions in them resolved, what
//! it refers to, and the stacks nested in it. What must not: what depends on what (`graph`), and what is wrong (`check`).

pub(crate) mod group;
mod nested;
mod reference;

use std::cell::Cell;
use std::rc::Rc;

use indexmap::IndexMap;
use wattle_model::{Name, PropertySchema, PropertyType};

use crate::Loaded;
use crate::classes::{Type, Types, rules};
use crate::environment::{Implementation, Registry, is_template};
use crate::evaluate::{Mode, Scope, Value};
use crate::files::join;
use crate::properties::{Properties, Property};
use crate::template;
use crate::yaml::{Node, Pair, Tree};

pub(crate) use nested::{Nested, Provider};
pub(crate) use reference::{How, Kind, Reference, references, within as references_within};

/// Stacks are nested no deeper than this, the root not counted: Heat's default.
pub(crate) const DEPTH: usize = 5;

/// When nested stacks have had more resources than this, no further ones are looked into: a few lines of groups within
/// groups can ask for any number. Heat has a thousand in a stack by default.
const RESOURCES: usize = 100_000;

/// What all stacks of one template share.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) types: Types,
    /// How many resources of nested stacks there were.
    nested: Rc<Cell<usize>>,
}

/// A stack.
#[derive(Debug)]
pub(crate) struct Stack<'l> {
    /// The template it is of, and what that is read with; of the stack that a group is, the template with the group.
    pub(crate) loaded: &'l Loaded,
    /// How many stacks it is nested in.
    pub(crate) depth: usize,
    /// Its resources: those that are there.
    pub(crate) resources: IndexMap<String, Resource>,
    pub(crate) registry: Registry,
    nested: Rc<Cell<usize>>,
}

/// A resource that is there.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Its type as written.
    pub(crate) ty: String,
    /// What makes it.
    pub(crate) class: Class,
    /// What is given for its properties.
    pub(crate) given: IndexMap<String, Property>,
    /// Whether it stands for a thing outside of Heat.
    pub(crate) external: bool,
    /// What it refers to and depends on by the template's words.
    pub(crate) references: Vec<Reference>,
}

/// What makes a resource.
#[derive(Clone, Debug)]
pub(crate) enum Class {
    /// A type of Heat's.
    Type(Rc<Type>),
    /// A template.
    Provider(Rc<Provider>),
    /// Nothing: there is no such type.
    None,
}

impl Class {
    /// The name of the type that it is, if it is one of Heat's.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Type(ty) => &ty.name,
            Self::Provider(_) | Self::None => "",
        }
    }
}

impl Resource {
    /// The same with the schema that its own properties ask for: a value is of the type that is said beside it.
    fn typed(mut self) -> Self {
        let Class::Type(ty) = &self.class else { return self };
        if ty.name != "OS::Heat::Value" {
            return self;
        }
        let kind = match self.property("type").as_text() {
            Some("string") => PropertyType::Str,
            Some("number") => PropertyType::Number,
            Some("comma_delimited_list") => PropertyType::List,
            Some("json") => PropertyType::Map,
            Some("boolean") => PropertyType::Boolean,
            _ => return self,
        };
        let mut ty = Type::clone(ty);
        if let Some(value) = ty.schema.properties.get_mut("value") {
            value.ty = kind;
        }
        self.class = Class::Type(Rc::new(ty));
        self
    }

    /// Its properties.
    pub(crate) fn properties(&self) -> Properties<'_> {
        static NOTHING: std::sync::LazyLock<IndexMap<Name, PropertySchema>> = std::sync::LazyLock::new(IndexMap::new);
        let (schema, rules) = match &self.class {
            Class::Type(ty) => (&ty.schema.properties, rules(&ty.name)),
            Class::Provider(provider) => (&provider.properties, const { &[] as &[_] }),
            Class::None => (&*NOTHING, const { &[] as &[_] }),
        };
        Properties { schema, rules, given: &self.given }
    }

    /// Whether it is of the type, or stands for it.
    pub(crate) fn is(&self, ty: &str) -> bool {
        self.ty == ty || self.class.name() == ty
    }

    /// What a property is; nothing where it cannot be read.
    pub(crate) fn property(&self, key: &str) -> Value {
        self.properties().get(key).unwrap_or(Value::Null)
    }
}

impl<'l> Stack<'l> {
    /// The stack of the template itself.
    pub(crate) fn root(world: &World, loaded: &'l Loaded) -> Self {
        Self::of(world, loaded, 0)
    }

    fn of(world: &World, loaded: &'l Loaded, depth: usize) -> Self {
        let template = &*loaded.template;
        let registry = (*loaded.registry).clone();
        let first = Scope::new(loaded, Mode::Validation);
        // A condition that is not known takes nothing out.
        let there = |resource: &template::Resource| {
            let condition = resource.condition.as_ref().filter(|_| template.version().has_conditions());
            !matches!(first.holds(condition), Ok(Some(false)))
        };
        let classes: IndexMap<&String, (Class, &template::Resource)> = template
            .resources
            .iter()
            .filter(|(_, resource)| there(resource))
            .map(|(name, resource)| {
                let ty = resource.kind().unwrap_or_default();
                (name, (class(world, loaded, &registry, name, ty), resource))
            })
            .collect();
        let names = classes.iter().map(|(name, (class, _))| ((*name).clone(), reference(name, class, depth))).collect();
        let scope = Scope::new(loaded, Mode::Validation).referring(names);
        let resources = classes
            .into_iter()
            .map(|(name, (class, resource))| {
                let given = given(&scope, resource.properties.as_ref());
                let external = resource.external_id.as_ref().is_some_and(|node| !matches!(&*node.tree, Tree::Null));
                let references = references(&scope, resource);
                let ty = resource.kind().unwrap_or_default().to_owned();
                (name.clone(), Resource { ty, class, given, external, references }.typed())
            })
            .collect();
        Self { loaded, depth, resources, registry, nested: world.nested.clone() }
    }
}

/// What `get_resource` gives for a resource. In a nested stack Heat has no data of its resources when it asks what depends
/// on what, and takes their names.
fn reference(name: &str, class: &Class, depth: usize) -> Value {
    use crate::classes::Reference;
    match class {
        Class::Type(ty) if depth == 0 => match ty.reference() {
            Reference::Name => Value::Text(name.to_owned()),
            Reference::Nothing => Value::Null,
            Reference::None => Value::Text("None".to_owned()),
        },
        _ => Value::Text(name.to_owned()),
    }
}

/// What makes the resource `name` of the type `ty`.
pub(crate) fn class(world: &World, loaded: &Loaded, registry: &Registry, name: &str, ty: &str) -> Class {
    let implementation = if is_template(ty) {
        Some(Implementation::Template(join(&loaded.template.file, ty)))
    } else {
        registry.resolve(ty, name, &|ty| world.types.get(ty).is_some())
    };
    match implementation {
        Some(Implementation::Type(ty)) => world.types.get(&ty).map_or(Class::None, Class::Type),
        Some(Implementation::Template(path)) => {
            Provider::of(loaded, &path).map_or(Class::None, |provider| Class::Provider(Rc::new(provider)))
        }
        None => Class::None,
    }
}

/// What is given for properties.
pub(crate) fn given(scope: &Scope<'_>, properties: Option<&Node>) -> IndexMap<String, Property> {
    let Some(Tree::Map(pairs)) = properties.map(|node| &*node.tree) else { return IndexMap::new() };
    let property = |pair: &Pair| {
        let value = scope.value(&pair.value).ok();
        // What is computed of a parameter that nobody has given is not judged either.
        let pending = reference::refers(scope, &pair.value) || value.as_ref().is_some_and(|value| !value.is_known());
        Property { value, pending, pair: Some(pair.clone()) }
    };
    pairs.iter().map(|pair| (pair.key.as_key(), property(pair))).collect()
}

/// Values that are given where none are written.
fn resolved(values: IndexMap<String, Value>) -> IndexMap<String, Property> {
    values.into_iter().map(|(key, value)| (key, Property { value: Some(value), pending: false, pair: None })).collect()
}
