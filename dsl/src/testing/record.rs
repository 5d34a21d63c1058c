//! What is known of a component after a run.

use std::fmt;
use std::time::Duration;

use crate::model::Name;
use crate::values::FailureKind;

use super::kind::Values;
use super::world::World;

/// Why a component did not do what it should: its own failure, or that of whoever it depends on.
///
/// ```
/// # use wattle::prelude::*;
/// # #[component(recipe = "src/check/examples/greet.sh")]
/// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
/// # #[blueprint]
/// # pub fn hello(t: &mut Topology) -> Exports {
/// #     let [alice, bob] = ["alice", "bob"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
/// #     let first = t.on(alice).run("greeter", Greeter::new().name("world"));
/// #     let second = t.on(bob).run("greeter", Greeter::new().name(first.greeting));
/// #     Exports::new().entry("greeting", second.greeting)
/// # }
/// use wattle::testing::{FailureKind, Trial};
///
/// let run = Trial::of(hello).made_up().failing("alice/greeter", "the disk is full").run();
/// let failure = run.component("bob/greeter").failure().unwrap();
/// assert_eq!(failure.kind, FailureKind::Recipe);
/// assert_eq!(failure.to_string(), "alice/greeter: the disk is full");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// Whose failure it is at the root, as `SERVER/COMPONENT`.
    pub component: Name,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened, in one line.
    pub message: String,
    /// Who passed it on, from the root on, as `SERVER/COMPONENT`.
    pub through: Vec<Name>,
}

impl Failure {
    pub(super) fn new(component: &Name, kind: FailureKind, message: String) -> Self {
        Self { component: component.clone(), kind, message, through: Vec::new() }
    }

    pub(super) fn passed_on(mut self, component: &Name) -> Self {
        self.through.push(component.clone());
        self
    }
}

/// `db/postgres: the disk is full`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.component, self.message)
    }
}

/// Something that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Awaited {
    /// An entry of the data space.
    Entry(Name),
    /// That a component has ended.
    Ended(usize),
}

impl Awaited {
    pub(super) fn name<'a>(&'a self, world: &'a World) -> &'a Name {
        match self {
            Self::Entry(entry) => entry,
            Self::Ended(node) => &world.nodes[*node].key,
        }
    }
}

/// One wait.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub(super) what: Awaited,
    /// The input that needs it; none for mere order.
    pub(super) input: Option<Name>,
    pub(super) until: Option<Duration>,
}

/// What one component did. Times are steps of the run, which tell what came first, and the run's own clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) started: Option<(usize, Duration)>,
    pub(super) ended: Option<(usize, Duration)>,
    pub(super) waits: Vec<Wait>,
    pub(super) attempts: u32,
    pub(super) inputs: Option<Values>,
    pub(super) outputs: Option<Values>,
    pub(super) failure: Option<Failure>,
}

impl Record {
    pub(super) fn waited(&mut self, what: Awaited, input: Option<Name>) {
        self.waits.push(Wait { what, input, until: None });
    }

    pub(super) fn came(&mut self, what: &Awaited, at: Duration) {
        if let Some(wait) = self.waits.iter_mut().find(|wait| wait.what == *what && wait.until.is_none()) {
            wait.until = Some(at);
        }
    }
}
