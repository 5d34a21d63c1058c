//! A stack as Heat sees it before it creates anything: the resources that exist, with the given values of their properties.
//!
//! What lives here: which resources exist, the implementation of each, its properties with the functions in them resolved,
//! its references, and the stacks nested in it. What must not: dependencies (`graph`), and faults (`check`).

mod members;
mod nested;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use wattle_model::IndexMap;

use crate::Loaded;
use crate::classes::Types;
use crate::environment::{Implementation, Registry, is_template};
use crate::evaluate::{Mode, Scope, Value};
use crate::files::join;
use crate::resource::{Maker, Provider, Refers, Resource, Subject, Type, given, references};
use crate::template;
use crate::yaml::Tree;

pub(crate) use members::{member, with_scaled};
pub(crate) use nested::{Nested, provided};

/// Once nested stacks contain more resources than this, no further ones are expanded: a few lines of groups within groups
/// can request any number. Heat's default limit is a thousand per stack.
const RESOURCES: usize = 100_000;

/// Data that all stacks of one template share.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) types: Types,
    /// The number of resources in nested stacks so far.
    nested: Rc<Cell<usize>>,
}

impl World {
    /// Counts the resources of another nested stack. Once there are too many, no further stack is expanded.
    pub(crate) fn count(&self, resources: usize) {
        self.nested.set(self.nested.get().saturating_add(resources));
    }

    /// Whether no further nested stacks are expanded.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.nested.get() > RESOURCES
    }
}

/// A stack.
#[derive(Debug)]
pub(crate) struct Stack<'l> {
    /// Its template and everything it is read with. For the stack of a group, the template that contains the group.
    pub(crate) loaded: &'l Loaded,
    /// The number of stacks around it.
    pub(crate) depth: usize,
    /// Its resources, without those that do not exist.
    pub(crate) resources: IndexMap<String, Resource>,
    /// Whether it is the stack of a group, whose resources are not written anywhere.
    pub(crate) of_members: bool,
    pub(crate) registry: Registry,
    nested: Rc<Cell<usize>>,
}

impl<'l> Stack<'l> {
    /// The stack of the template itself.
    pub(crate) fn root(world: &World, loaded: &'l Loaded) -> Self {
        Self::of(world, loaded, 0)
    }

    /// The same stack, with `loaded` in place of its own.
    pub(crate) fn again<'o>(&self, world: &World, loaded: &'o Loaded) -> Stack<'o> {
        Stack::of(world, loaded, self.depth)
    }

    fn of(world: &World, loaded: &'l Loaded, depth: usize) -> Self {
        let template = &*loaded.template;
        let registry = (*loaded.registry).clone();
        let first = Scope::new(loaded, Mode::Validation);
        // An unknown condition does not exclude anything.
        let there = |resource: &template::Resource| {
            let condition = resource.condition.as_ref().filter(|_| template.version().has_conditions());
            !matches!(first.holds(condition), Ok(Some(false)))
        };
        let makers: IndexMap<&String, (Maker, &template::Resource)> = template
            .resources
            .iter()
            .filter(|(_, resource)| there(resource))
            .map(|(name, resource)| {
                let ty = resource.kind().unwrap_or_default();
                (name, (maker(world, loaded, &registry, name, ty), resource))
            })
            .collect();
        let names = makers.iter().map(|(name, (maker, _))| ((*name).clone(), reference(name, maker, depth))).collect();
        let scope = Scope::new(loaded, Mode::Validation).referring(names);
        let resources = makers
            .into_iter()
            .map(|(name, (maker, resource))| {
                let given = given(&scope, resource.properties.as_ref());
                let external = resource.external_id.as_ref().is_some_and(|node| !matches!(&*node.tree, Tree::Null));
                let references = references(&scope, resource);
                let ty = resource.kind().unwrap_or_default().to_owned();
                (name.clone(), typed(Resource { ty, maker, given, external, references }))
            })
            .collect();
        Self { loaded, depth, resources, of_members: false, registry, nested: world.nested.clone() }
    }

    /// A resource as the rules of its class see it.
    pub(crate) fn subject<'s>(&'s self, name: &'s str, resource: &'s Resource) -> Subject<'s> {
        let template = (!self.of_members).then_some(self.loaded);
        Subject { name, resource, all: &self.resources, template, metadata: None, nested: self.depth > 0 }
    }
}

/// The resource with the schema that its own properties require.
pub(crate) fn typed(mut resource: Resource) -> Resource {
    if let Maker::Type(ty) = &resource.maker
        && let Some(schema) = (ty.class.schema)(&resource, &ty.schema)
    {
        resource.maker = Maker::Type(Arc::new(Type { schema, ..Type::clone(ty) }));
    }
    resource
}

/// The result of `get_resource` for a resource. In a nested stack, Heat has no data about its resources when it computes
/// dependencies, and uses their names.
fn reference(name: &str, maker: &Maker, depth: usize) -> Value {
    let refers = match maker {
        Maker::Type(ty) if depth == 0 => ty.class.refers,
        _ => Refers::Name,
    };
    match refers {
        Refers::Name => Value::Text(name.to_owned()),
        Refers::Nothing => Value::Null,
        Refers::None => Value::Text("None".to_owned()),
    }
}

/// The implementation of the resource `name` of type `ty`.
pub(crate) fn maker(world: &World, loaded: &Loaded, registry: &Registry, name: &str, ty: &str) -> Maker {
    let implementation = if is_template(ty) {
        Some(Implementation::Template(join(&loaded.template.file, ty)))
    } else {
        registry.resolve(ty, name, &|ty| world.types.get(ty).is_some())
    };
    match implementation {
        Some(Implementation::Type(ty)) => world.types.get(&ty).map_or(Maker::None, Maker::Type),
        Some(Implementation::Template(path)) => {
            Provider::of(loaded, &path).map_or(Maker::None, |provider| Maker::Template(Arc::new(provider)))
        }
        None => Maker::None,
    }
}
