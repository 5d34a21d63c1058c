//! The topology: what a blueprint builds.

use std::sync::atomic::{AtomicU32, Ordering};

use indexmap::map::Entry;

use crate::model::{self, Duplicate, ElementKind, Expr, IndexMap, Model, Name, Source};

use super::begun::Watch;
use super::catalogs::Catalogs;
use super::component::OnServer;
use super::exports::{Export, Exports};
use super::forward_reference::ForwardReference;
use super::handle::{AsComponent, Component, Host, Output, OutputSource, Resource};
use super::input::IntoInput;
use super::module::{Complete, Part};
use super::naming::NameText;
use super::port::PortType;

/// A stack under construction: servers, networks, modules, and the components on them.
///
/// Every call that adds something records its place in the author's source. No call fails: mistakes stay in the model until
/// `check` reports them all at once.
///
/// A blueprint receives a topology; a test can create one:
///
/// ```
/// use wattle::prelude::*;
///
/// let mut t = Topology::new("demo");
/// let server = t.add("server", RawResource::new("OS::Nova::Server").property("flavor", "m1.small"));
/// t.add("ip", RawResource::new("OS::Neutron::FloatingIP").property("port_id", server));
/// let model = t.finish(Exports::new());
/// assert_eq!(model.resources.len(), 2);
/// ```
pub struct Topology {
    pub(super) id: u32,
    pub(super) model: Model,
    /// The qualified name of the module that is being built, followed by a dot. Empty outside of modules.
    scope: String,
    names: IndexMap<&'static str, Name>,
    pub(super) catalogs: Catalogs,
    /// The names under which the part that is being added was first deployed.
    pub(super) moves: Vec<(String, Source)>,
    /// What was begun in the meantime and never added.
    pub(super) watch: Watch,
    /// Closures that run after everything else was added, each with the module in which it runs.
    last: Vec<(String, Last)>,
}

/// A closure that waits until a blueprint has added everything.
type Last = Box<dyn FnOnce(&mut Topology)>;

impl Topology {
    /// Creates an empty topology for the stack `stack`.
    #[track_caller]
    pub fn new(stack: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let mut model = Model::new(stack);
        model.at = Source::caller();
        let (scope, names, catalogs) = (String::new(), IndexMap::default(), Catalogs::default());
        let (moves, last) = (Vec::new(), Vec::new());
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { id, model, scope, names, catalogs, moves, watch: Watch::new(id), last }
    }

    /// Adds a resource or a module under `name`, and returns its handle or the module's outputs.
    ///
    /// Inside a module, the name is qualified by the module's own: `node1` of `apps` becomes `apps.node1`.
    #[track_caller]
    pub fn add<P: Part>(&mut self, name: impl NameText, part: P) -> P::Outputs
    where
        P::State: Complete,
    {
        part.add_to(self, name.as_ref(), Source::caller())
    }

    /// Selects the server on which components are to run: `t.on(server).run(name, component)`.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// #[component(recipe = "src/check/examples/greet.sh")]
    /// pub struct Greeter {
    ///     #[input]
    ///     name: String,
    ///     #[output]
    ///     greeting: String,
    /// }
    ///
    /// fn greet(t: &mut Topology) -> Output<String> {
    ///     let server = t.add("server", RawResource::new("OS::Nova::Server"));
    ///     let greeter = t.on(server).run("greeter", Greeter::new().name("world"));
    ///     greeter.greeting
    /// }
    /// # greet(&mut Topology::new("demo"));
    /// ```
    pub fn on<H: Host>(&mut self, server: H) -> OnServer<'_> {
        OnServer::new(self, server.resource())
    }

    /// Orders two components that exchange no values: `component` runs only when `predecessor` has finished.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// #[component(recipe = "src/check/examples/greet.sh")]
    /// pub struct Greeter {
    ///     #[input]
    ///     name: String,
    ///     #[output]
    ///     greeting: String,
    /// }
    ///
    /// fn politely(t: &mut Topology) {
    ///     let [left, right] = ["left", "right"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    ///     let first = t.on(left).run("greeter", Greeter::new().name("ladies"));
    ///     let second = t.on(right).run("greeter", Greeter::new().name("gentlemen"));
    ///     t.after(second, first);
    /// }
    /// # let mut t = Topology::new("demo");
    /// # politely(&mut t);
    /// # assert_eq!(t.finish(Exports::new()).after.len(), 1);
    /// ```
    #[track_caller]
    pub fn after(&mut self, component: impl AsComponent, predecessor: impl AsComponent) {
        let at = Source::caller();
        let component = self.component_name(component.component());
        let predecessor = self.component_name(predecessor.component());
        self.model.after.push(model::After { component, predecessor, at });
    }

    /// Makes a forward reference to a `T` that another part supplies with [`Topology::fulfil`].
    ///
    /// A forward reference can be wired at once, before the part that writes the value exists. This way, two modules can
    /// feed each other. `check` reports forward references that are never fulfilled, and components that wait for each
    /// other in a ring.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// #[component(recipe = "src/check/examples/peer.sh")]
    /// pub struct Peer {
    ///     #[input]
    ///     other: String,
    ///     #[output]
    ///     address: String,
    /// }
    ///
    /// fn peers(t: &mut Topology) -> Output<String> {
    ///     let [left, right] = ["left", "right"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    ///     let address = t.later::<String>("right-address");
    ///     let on_left = t.on(left).run("peer", Peer::new().other(address));
    ///     let on_right = t.on(right).run("peer", Peer::new().other("nobody"));
    ///     t.fulfil(address, on_right.address);
    ///     on_left.address
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let address = peers(&mut t);
    /// # assert_eq!(wattle::check::check(&t.finish(Exports::new().entry("address", address)), &Default::default()), []);
    /// ```
    #[track_caller]
    pub fn later<T: PortType>(&mut self, name: impl NameText) -> ForwardReference<T> {
        let at = Source::caller();
        let forward = model::ForwardReference { ty: T::port_type(), at: at.clone(), fulfilled: Vec::new() };
        let name = self.qualified(name.as_ref());
        let index = insert(
            &mut self.model.forward_references,
            &mut self.model.duplicates,
            ElementKind::ForwardReference,
            name,
            forward,
            |p| &p.at,
        );
        ForwardReference::new(self.id, index)
    }

    /// Supplies the value of `forward`. Call it exactly once. It accepts anything that an input of type `T` accepts.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn settle(t: &mut Topology, forward: ForwardReference<Vec<String>>, members: Vec<Output<String>>) {
    ///     t.fulfil(forward, members);
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let forward = t.later("members");
    /// # settle(&mut t, forward, Vec::new());
    /// ```
    ///
    /// See [`Topology::later`] for a complete example.
    #[track_caller]
    pub fn fulfil<T: PortType>(&mut self, forward: ForwardReference<T>, value: impl IntoInput<T>) {
        let binding = model::Binding { value: self.lower(&value.into_input()), at: Source::caller() };
        let output = forward.output();
        if let (true, OutputSource::ForwardReference(index)) = (output.topology == self.id, output.source)
            && let Some((_, forward)) = self.model.forward_references.get_index_mut(index as usize)
        {
            forward.fulfilled.push(binding);
            return;
        }
        // It belongs to another topology. A forward reference of this one takes its place, and `check` reports it.
        let foreign = model::ForwardReference {
            ty: T::port_type(),
            at: binding.at.clone(),
            fulfilled: vec![model::Binding { value: Expr::foreign("forward reference"), at: binding.at }],
        };
        let name = format!("forward-reference#{}", self.model.forward_references.len());
        self.model.forward_references.insert(name.into(), foreign);
    }

    /// Returns a value that another stack exports. It is an output like any other, and exists as soon as that stack has it.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// /// The URL of the stack `shop`, as its crate offers it.
    /// pub const SHOP: Export<Url> = Export::new("shop", "url");
    ///
    /// fn shop(url: Output<Url>) -> Exports {
    ///     Exports::new().entry(SHOP, url)
    /// }
    ///
    /// fn portal(t: &mut Topology) -> Output<Url> {
    ///     t.import(SHOP)
    /// }
    /// # let mut t = Topology::new("portal");
    /// # let url = portal(&mut t);
    /// # shop(url);
    /// ```
    #[must_use = "an import does nothing until it is read: wire it to an input, or export it"]
    #[track_caller]
    pub fn import<T: PortType>(&mut self, export: Export<T>) -> Output<T> {
        let import = model::Import {
            stack: export.stack.into(),
            export: export.name.into(),
            ty: T::port_type(),
            at: Source::caller(),
        };
        self.model.imports.push(import);
        Output::new(self.id, OutputSource::Import(position(self.model.imports.len() - 1)))
    }

    /// Calls `add` once the blueprint has added everything else, for parts that depend on what the others are.
    ///
    /// What `add` adds belongs to the module that is being built now. Several such closures are called in the order in
    /// which they were given.
    pub fn at_end(&mut self, add: impl FnOnce(&mut Topology) + 'static) {
        self.last.push((self.scope.clone(), Box::new(add)));
    }

    /// Returns the finished model.
    pub fn finish(mut self, exports: Exports) -> Model {
        while !self.last.is_empty() {
            for (scope, add) in std::mem::take(&mut self.last) {
                self.scope = scope;
                add(&mut self);
            }
        }
        self.catalogs.judge(&mut self.model);
        self.model.unused = self.watch.unused();
        for entry in exports.entries {
            let value = self.lower(&entry.value);
            let export = model::Export { ty: entry.ty, value, stack: entry.stack.map(Into::into), at: entry.at };
            let name: String = entry.name.into();
            insert(&mut self.model.exports, &mut self.model.duplicates, ElementKind::Export, name, export, |e| &e.at);
        }
        self.model
    }

    /// Records the names under which the last part of a kind was first deployed.
    pub(super) fn keep_moves(&mut self, kind: ElementKind, index: u32, moves: Vec<(String, Source)>) {
        let index = index as usize;
        let name = match kind {
            ElementKind::Resource => self.model.resources.get_index(index).map(|(name, _)| name),
            ElementKind::Module => self.model.modules.get_index(index).map(|(name, _)| name),
            _ => self.model.components.get_index(index).map(|(name, _)| name),
        };
        let name = name.expect("INVARIANT: just inserted").clone();
        let all = moves.into_iter().map(|(from, at)| model::FormerName::new(kind, name.clone(), from.into(), at));
        self.model.moved.extend(all);
    }

    /// Builds a module's parts under its name.
    pub(super) fn within<O>(
        &mut self,
        name: &str,
        kind: &'static str,
        at: Source,
        build: impl FnOnce(&mut Self) -> O,
    ) -> O {
        let moves = std::mem::take(&mut self.moves);
        let kind = kind.split('<').next().unwrap_or(kind).rsplit("::").next().unwrap_or(kind);
        let module = model::Module { kind: self.share(kind), at };
        let qualified = self.qualified(name);
        let index =
            insert(&mut self.model.modules, &mut self.model.duplicates, ElementKind::Module, qualified, module, |m| {
                &m.at
            });
        self.keep_moves(ElementKind::Module, index, moves);
        let (key, _) = self.model.modules.get_index(index as usize).expect("INVARIANT: just inserted");
        let inner = format!("{key}.");
        let outer = std::mem::replace(&mut self.scope, inner);
        let outputs = build(self);
        self.scope = outer;
        outputs
    }

    /// Returns a shared copy of a name that is written in the program.
    pub(super) fn shared(&self, name: &'static str) -> Name {
        self.names.get(name).cloned().unwrap_or_else(|| name.into())
    }

    /// Makes later calls of [`Topology::shared`] return one copy of `name`.
    pub(super) fn share(&mut self, name: &'static str) -> Name {
        self.names.entry(name).or_insert_with(|| name.into()).clone()
    }

    pub(super) fn resource_name(&self, resource: Resource) -> Option<Name> {
        let own = resource.id.topology == self.id;
        own.then(|| self.model.resources.get_index(resource.id.index as usize).map(|(name, _)| name.clone())).flatten()
    }

    fn component_name(&self, component: Component) -> Name {
        let own = (component.id.topology == self.id).then_some(component.id.index as usize);
        let found = own.and_then(|index| self.model.components.get_index(index));
        // Not a valid key, so that `check` recognises it.
        found.map_or_else(|| "#foreign".into(), |(key, _)| key.clone())
    }

    pub(super) fn qualified(&self, name: &str) -> String {
        format!("{}{name}", self.scope)
    }
}

/// Inserts under a key, and records a name that is used again. Returns the index.
pub(super) fn insert<V>(
    map: &mut IndexMap<Name, V>,
    duplicates: &mut Vec<Duplicate>,
    kind: ElementKind,
    name: String,
    value: V,
    at: impl Fn(&V) -> &Source,
) -> u32 {
    let key: Name = name.into();
    let mut candidate = key.clone();
    let mut count = 1;
    loop {
        match map.entry(candidate) {
            Entry::Vacant(free) => {
                let index = free.index();
                free.insert(value);
                return position(index);
            }
            Entry::Occupied(taken) => {
                if count == 1 {
                    let (first, again) = (at(taken.get()).clone(), at(&value).clone());
                    duplicates.push(Duplicate { kind, name: key.clone(), first, again });
                }
                count += 1;
                candidate = format!("{key}#{count}").into();
            }
        }
    }
}

pub(super) fn position(index: usize) -> u32 {
    u32::try_from(index).expect("INVARIANT: no topology has 2^32 parts")
}
