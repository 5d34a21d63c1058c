//! Parts of a topology: resources with their properties, and modules.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::panic::Location;

use crate::model::{self, Duplicate, ElementKind, IndexMap, Name, Order, Schema, Source};

use super::begun::Begun;
use super::catalogs::Catalog;
use super::expression::{Expression, Handle};
use super::handle::{Id, Resource};
use super::property::{AnyValue, IntoProperty};
use super::topology::{Topology, insert};

/// A reusable part of a topology: a struct whose fields are its inputs, and whose `build` returns its outputs.
///
/// A field can be a constant, a handle (`neutron::Net`, a component's own struct), an [`Output`](super::Output), an
/// [`Attribute`](super::Attribute) or a [`Parameter`](super::Parameter). For a value that does not exist yet where the
/// module is added, use a forward reference ([`Topology::later`]).
///
/// A module that is built and then dropped is not part of any topology. `#[blueprint]` makes the compiler warn about
/// statements that build and drop one. To get that warning everywhere, write `#[must_use]` in front of the struct.
///
/// ```
/// use wattle::prelude::*;
///
/// #[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
/// struct Pair {
///     image: String,
/// }
///
/// impl Module for Pair {
///     type Outputs = [wattle::author::Resource; 2];
///
///     fn build(self, t: &mut Topology) -> Self::Outputs {
///         ["left", "right"].map(|name| t.add(name, RawResource::new("OS::Nova::Server").property("image", &self.image)))
///     }
/// }
///
/// let mut t = Topology::new("demo");
/// let [_left, _right] = t.add("pair", Pair { image: "debian-12".into() });
/// assert!(t.finish(Exports::new()).resources.contains_key("pair.left"));
/// ```
#[diagnostic::on_unimplemented(
    message = "only resources and modules can be added to a topology",
    label = "neither a resource nor a module",
    note = "resources come from the catalog (`nova::Server::new()`), modules implement `Module`; components run on a server: `t.on(server).run(name, component)`"
)]
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub trait Module {
    /// What the rest of the topology may use: handles, outputs, attributes, or a struct of them.
    type Outputs;
    /// Adds the module's parts to the topology. Their names are qualified by the module's own.
    ///
    /// Implement this method, but do not call it: `t.add(name, module)` calls it, and knows the module's name.
    #[deprecated(
        note = "add the module with `t.add(name, module)`, which calls this, and qualifies the names of its parts"
    )]
    fn build(self, t: &mut Topology) -> Self::Outputs;
}

/// What `t.add` takes: a resource or a module.
#[diagnostic::on_unimplemented(
    message = "only resources and modules can be added to a topology",
    label = "neither a resource nor a module",
    note = "resources come from the catalog (`nova::Server::new()`), modules implement `Module`; components run on a server: `t.on(server).run(name, component)`"
)]
pub trait Part {
    /// What `t.add` returns for it.
    type Outputs;
    /// Whether it has everything that it needs: `()`, or a type that says what is missing.
    type State;
    /// Adds it to the topology.
    fn add_to(self, t: &mut Topology, name: &str, at: Source) -> Self::Outputs;
}

/// The state of a part that has everything it needs.
///
/// A catalog implements it for a state type of its own, under a bound whose trait says what is missing. The compiler
/// then shows the diagnostic of that trait.
#[diagnostic::on_unimplemented(
    message = "something is missing before this can be added",
    label = "incomplete: `{Self}`"
)]
pub trait Complete {}

impl Complete for () {}

/// The state of a handle as a part: what it stands for has been added.
pub struct AddedBefore<H>(PhantomData<fn() -> H>);

/// Implemented by nothing: a resource is added once.
#[diagnostic::on_unimplemented(
    message = "this is the handle `{Self}` of a resource that has been added already",
    label = "added already",
    note = "use the handle wherever the resource is meant, for example in a property or with `t.on(handle)`; `t.add` takes the properties of a new resource"
)]
pub trait NotAddedYet {}

impl<H: NotAddedYet> Complete for AddedBefore<H> {}

impl Topology {
    /// Adds a resource. The [`Part`] implementation of each typed resource calls it.
    pub fn add_resource(&mut self, name: &str, properties: Properties, at: Source) -> Resource {
        let moves = std::mem::take(&mut self.moves);
        self.watch.added(properties.begun);
        let ty = match properties.schema {
            Some((ty, catalog)) => {
                let ty = self.share(ty);
                if !self.model.schemas.contains_key(&ty)
                    && let Some(schema) = catalog(&ty)
                {
                    self.model.schemas.insert(ty.clone(), schema);
                }
                self.catalogs.add(catalog);
                ty
            }
            None => properties.ty.into(),
        };
        let mut resource = model::Resource::new(ty, at);
        resource.order = properties.order;
        resource.properties.reserve(properties.values.len());
        let qualified = self.qualified(name);
        for (name, value, at) in properties.values {
            let name = match name {
                Cow::Borrowed(name) => self.share(name),
                Cow::Owned(name) => name.into(),
            };
            let binding = match value {
                Expression::Leaf(Handle::Bound(binding)) => binding,
                value => model::Binding { value: self.lower(&value), at: at.into() },
            };
            let again = binding.at.clone();
            if let Some(first) = resource.properties.insert(name.clone(), binding) {
                let name = format!("{qualified}.{name}").into();
                self.model.duplicates.push(Duplicate { kind: ElementKind::Property, name, first: first.at, again });
            }
        }
        let name = qualified;
        let index =
            insert(&mut self.model.resources, &mut self.model.duplicates, ElementKind::Resource, name, resource, |r| {
                &r.at
            });
        self.keep_moves(ElementKind::Resource, index, moves);
        Resource { id: Id { topology: self.id, index } }
    }
}

impl Topology {
    /// Returns the definition of a resource that another one makes: its type and its properties.
    pub(super) fn definition(&mut self, properties: Properties) -> Expression {
        self.watch.added(properties.begun);
        let ty = match properties.schema {
            Some((ty, catalog)) => {
                self.catalogs.add(catalog);
                ty.into()
            }
            None => properties.ty,
        };
        let mut given: IndexMap<Name, (Expression, Source)> = IndexMap::default();
        for (name, value, at) in properties.values {
            let name: Name = name.into();
            if let Some((_, first)) = given.insert(name.clone(), (value, at.into())) {
                let name = format!("{ty}.{name}").into();
                self.model.duplicates.push(Duplicate { kind: ElementKind::Property, name, first, again: at.into() });
            }
        }
        let mut definition: IndexMap<Name, Expression> = IndexMap::default();
        definition.insert("type".into(), ty.as_str().into());
        if !given.is_empty() {
            let given = given.into_iter().map(|(name, (value, _))| (name, value)).collect();
            definition.insert("properties".into(), Expression::Map(given));
        }
        Expression::Map(definition)
    }
}

impl<M: Module> Part for M {
    type Outputs = M::Outputs;
    type State = ();

    fn add_to(self, t: &mut Topology, name: &str, at: Source) -> M::Outputs {
        #[expect(deprecated, reason = "this is the intended caller")]
        t.within(name, std::any::type_name::<M>(), at, |t| self.build(t))
    }
}

/// Implemented only to report that it has already been added: its state is never complete.
#[diagnostic::do_not_recommend]
impl Part for Resource {
    type Outputs = Self;
    type State = AddedBefore<Self>;

    fn add_to(self, _: &mut Topology, _: &str, _: Source) -> Self {
        self
    }
}

/// The properties of one resource. Every typed resource of the catalog wraps one.
#[must_use = "a resource exists only once it is added: `t.add(name, resource)`"]
pub struct Properties {
    ty: String,
    schema: Option<KnownType>,
    values: Vec<Given>,
    order: Order,
    begun: Begun,
}

/// A resource type of the catalog, and the catalog that knows its schema.
type KnownType = (&'static str, Catalog);

/// A property's name, its value, and where it was set.
type Given = (Cow<'static, str>, Expression, &'static Location<'static>);

impl Properties {
    /// Creates the properties of a resource of the type `ty`, with none set yet. `schema` returns the schema; it is called
    /// when the schema is first needed.
    #[track_caller]
    pub fn new(ty: &'static str, schema: fn(&str) -> Option<Schema>) -> Self {
        let begun = Begun::new(ElementKind::Resource, ty);
        Self { ty: String::new(), schema: Some((ty, schema)), values: Vec::new(), order: Order::default(), begun }
    }

    /// Creates the properties of a resource of the type `ty` whose schema is not known, with none set yet.
    #[track_caller]
    pub fn of(ty: impl Into<String>) -> Self {
        let ty = ty.into();
        let begun = Begun::new(ElementKind::Resource, &*ty);
        Self { ty, schema: None, values: Vec::new(), order: Order::default(), begun }
    }

    /// Sets the property `name`.
    #[track_caller]
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: Expression) {
        self.values.push((name.into(), value, Location::caller()));
    }

    /// Appends an item to the property `name`, which must be a list.
    #[track_caller]
    pub fn push(&mut self, name: &'static str, item: Expression) {
        if let Some((_, Expression::List(items), _)) = self.values.iter_mut().find(|(known, ..)| known == name) {
            items.push(item);
        } else {
            self.set(name, Expression::List(vec![item]));
        }
    }

    /// Sets how the components of this server are ordered.
    pub fn order(&mut self, order: Order) {
        self.order = order;
    }
}

/// A resource of any type, with its properties under Heat's names. Use it for types that the catalog does not have.
///
/// ```
/// use wattle::prelude::*;
///
/// let mut t = Topology::new("demo");
/// t.add("wall", RawResource::new("Acme::Firewall").property("depth", 3).property("zones", vec!["a", "b"]));
/// # assert_eq!(t.finish(Exports::new()).resources["wall"].properties.len(), 2);
/// ```
#[must_use = "a resource exists only once it is added: `t.add(name, resource)`"]
pub struct RawResource(Properties);

impl RawResource {
    /// Creates a resource of the type `ty`: `OS::Nova::Server`, or a type that only your cloud has.
    ///
    /// Its properties are checked if the catalog of another resource in the topology knows the type. For Heat's types,
    /// `wattle_catalog::raw` does the same whatever else is in the topology.
    #[track_caller]
    pub fn new(ty: impl Into<String>) -> Self {
        Self(Properties::of(ty))
    }

    pub(crate) fn of(properties: Properties) -> Self {
        Self(properties)
    }

    /// Creates a resource of the type `ty`. `schema` returns its schema, if the catalog behind it knows the type.
    #[track_caller]
    pub fn known(ty: &'static str, schema: fn(&str) -> Option<Schema>) -> Self {
        Self(Properties::new(ty, schema))
    }

    /// Sets a property, under Heat's name `name`.
    #[track_caller]
    pub fn property(mut self, name: impl Into<String>, value: impl IntoProperty<AnyValue>) -> Self {
        self.0.set(name.into(), value.into_property());
        self
    }
}

impl From<RawResource> for Properties {
    fn from(resource: RawResource) -> Self {
        resource.0
    }
}

#[diagnostic::do_not_recommend]
impl Part for RawResource {
    type Outputs = Resource;
    type State = ();

    fn add_to(self, t: &mut Topology, name: &str, at: Source) -> Resource {
        t.add_resource(name, self.0, at)
    }
}
