//! What keeps what was deployed under another name.

use std::panic::Location;

use crate::model::{Declaration, Source};

use super::component::{Inputs, Software};
use super::handle::Component;
use super::module::Part;
use super::topology::Topology;

/// A resource, a module or a component that was deployed under another name: see [`MovedFrom::moved_from`].
pub struct Moved<P> {
    part: P,
    from: String,
    at: &'static Location<'static>,
}

/// Keeps what is deployed over a change of its name.
pub trait MovedFrom: Sized {
    /// Says under which name this was deployed, so that it stays what it is: nothing is replaced, and no component runs
    /// again, because something got another name or went into a module.
    ///
    /// - Of a resource or a module: its whole name then (`"db"`, `"apps.node1"`), or with a dot in front its name in the
    ///   same module (`".old"`). What is in a module that was moved goes with it.
    /// - Of a component: its name on its server (`"db2"`), or that of the server then as well (`"old_server/db2"`).
    ///
    /// Whatever is deployed keeps that name in Heat and in the data space, and so in `wattle status`. It is said for as
    /// long as the stack lives.
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
    const KIND: &'static str = S::KIND;

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
