//! Keeps what was deployed under another name.

use std::panic::Location;

use crate::model::{Declaration, Source};

use super::component::{Inputs, Software};
use super::handle::Component;
use super::module::Part;
use super::topology::Topology;

/// A resource, module or component that was deployed under another name. See [`MovedFrom::moved_from`].
pub struct Moved<P> {
    part: P,
    from: String,
    at: &'static Location<'static>,
}

/// Keeps what is deployed when its name changes.
pub trait MovedFrom: Sized {
    /// Declares the name under which this was deployed. Then renaming it, or moving it into a module, neither replaces
    /// anything nor makes a component run again.
    ///
    /// - For a resource or a module, give its full name at that time (`"db"`, `"apps.node1"`), or its name in the same
    ///   module with a leading dot (`".old"`). The parts of a module move with it.
    /// - For a component, give its name on its server (`"db2"`), with the server's name at that time if it was another one
    ///   (`"old_server/db2"`).
    ///
    /// What is deployed keeps its old name in Heat and in the data space, and therefore in `wattle status`. Keep this
    /// call for as long as the stack lives.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # let mut t = Topology::new("demo");
    /// t.add("database", RawResource::new("OS::Nova::Server").moved_from("db"));
    /// # let model = t.finish(Exports::new());
    /// # assert!(wattle::lower::lower(&model, &Default::default()).template.resources.contains_key("db"));
    /// ```
    #[track_caller]
    fn moved_from(self, name: impl Into<String>) -> Moved<Self> {
        Moved { part: self, from: name.into(), at: Location::caller() }
    }
}

impl<P> MovedFrom for P {}

#[diagnostic::do_not_recommend]
impl<P: Part> Part for Moved<P> {
    type Outputs = P::Outputs;
    type State = P::State;

    fn add_to(self, t: &mut Topology, name: &str, at: Source) -> P::Outputs {
        t.moves.push((self.from, self.at.into()));
        self.part.add_to(t, name, at)
    }
}

#[diagnostic::do_not_recommend]
impl<S: Software> Software for Moved<S> {
    type Handle = S::Handle;
    const COMPONENT_TYPE: &'static str = S::COMPONENT_TYPE;

    fn declaration() -> Declaration {
        S::declaration()
    }

    fn into_inputs(self) -> Inputs {
        let mut inputs = self.part.into_inputs();
        inputs.moved(self.from, self.at);
        inputs
    }

    fn handle(component: Component) -> S::Handle {
        S::handle(component)
    }
}
