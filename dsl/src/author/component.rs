//! Components: running them on servers, and what `#[component]` generates against.

use std::panic::Location;

use crate::model::{self, Declaration, Duplicate, Kind, Name, Source};

use super::begun::Begun;
use super::expression::Expression;
use super::handle::{AsComponent, Component, Id, Resource};
use super::input::IntoInput;
use super::topology::{Topology, insert};

/// A component whose required inputs are all wired, ready to run. Implemented by `#[component]`.
#[diagnostic::on_unimplemented(
    message = "only components can run on a server",
    label = "not a component",
    note = "a component is a struct with `#[component(recipe = \"...\")]`; start one with its `new()`"
)]
pub trait Software {
    /// The handle that carries its outputs.
    type Handle: AsComponent;
    /// The path of its Rust type, which names its kind.
    const KIND: &'static str;
    /// What its kind declares.
    fn declaration() -> Declaration;
    /// What its inputs are wired to.
    fn into_inputs(self) -> Inputs;
    /// The handle of a component of this kind.
    fn handle(component: Component) -> Self::Handle;
}

/// Marks a required input that is not wired yet.
pub struct Missing;

/// Marks a required input that is wired.
pub struct Wired;

/// What the inputs of one component are wired to.
pub struct Inputs {
    begun: Begun,
    wires: Vec<(&'static str, Expression, &'static Location<'static>)>,
    /// What the component was called when it was first deployed.
    moves: Vec<(String, &'static Location<'static>)>,
}

impl Inputs {
    /// Nothing wired, of a component of the kind `kind` that is begun where this is called.
    #[track_caller]
    pub fn new(kind: &'static str) -> Self {
        Self { begun: Begun::new(Kind::Component, kind), wires: Vec::new(), moves: Vec::new() }
    }

    /// Says what the component was called when it was first deployed.
    pub(super) fn moved(&mut self, from: String, at: &'static Location<'static>) {
        self.moves.push((from, at));
    }

    /// Wires the input `name`.
    #[track_caller]
    pub fn wire<T>(&mut self, name: &'static str, value: impl IntoInput<T>) {
        self.wires.push((name, value.into_input(), Location::caller()));
    }
}

/// A server of a topology, about to run components.
pub struct OnServer<'t> {
    topology: &'t mut Topology,
    server: Resource,
}

impl<'t> OnServer<'t> {
    pub(super) fn new(topology: &'t mut Topology, server: Resource) -> Self {
        Self { topology, server }
    }

    /// Declares that `component` runs on this server, after those that were declared on it before, and returns its
    /// handle with its outputs.
    ///
    /// The order of declaration does not count on a server of [`Order::Dataflow`](crate::model::Order::Dataflow).
    #[track_caller]
    pub fn run<S: Software>(self, name: impl AsRef<str>, component: S) -> S::Handle {
        let at = Source::caller();
        let t = self.topology;
        let kind = t.declare::<S>();
        let name: Name = name.as_ref().into();
        let server = t.resource_name(self.server).unwrap_or_else(|| "#foreign".into());
        let mut wired = model::Component::new(name.clone(), server.clone(), kind.clone(), at);
        let inputs = component.into_inputs();
        t.watch.added(inputs.begun);
        wired.inputs.reserve_exact(inputs.wires.len());
        for (input, expression, at) in inputs.wires {
            let binding = model::Binding { value: t.lower(&expression), at: at.into() };
            let input = t.share(input);
            let again = binding.at.clone();
            if let Some(first) = wired.inputs.insert(input.clone(), binding) {
                let name = format!("{server}/{name}.{input}").into();
                t.model.duplicates.push(Duplicate { kind: Kind::Input, name, first: first.at, again });
            }
        }
        let key = model::Model::component_key(&server, &name);
        let index = insert(&mut t.model.components, &mut t.model.duplicates, Kind::Component, key, wired, |c| &c.at);
        let moves = inputs.moves.into_iter().map(|(from, at)| (from, at.into())).collect();
        t.keep_moves(Kind::Component, index, moves);
        S::handle(Component { id: Id { topology: t.id, index } })
    }
}

impl Topology {
    /// The name of a kind of component, whose declaration is in the model from then on.
    fn declare<S: Software>(&mut self) -> Name {
        let kind = self.share(S::KIND);
        if !self.model.declarations.contains_key(&kind) {
            self.model.declarations.insert(kind.clone(), S::declaration());
        }
        kind
    }
}
