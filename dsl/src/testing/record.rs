//! The record of a component after a run.

use std::fmt;
use std::time::Duration;

use wattle_agent_core::failure;
use wattle_agent_core::status::Waiting;

use crate::model::Name;
use crate::values::FailureKind;

use super::component_type::Values;

/// Why a component did not do its work: its own failure, or the failure of a component that it depends on.
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
    /// The component whose failure is the root cause, as `SERVER/COMPONENT`.
    pub component: Name,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened, in one line.
    pub message: String,
    /// The components that passed it on, starting at the root cause, as `SERVER/COMPONENT`.
    pub through: Vec<Name>,
}

impl From<&failure::Failure> for Failure {
    fn from(failure: &failure::Failure) -> Self {
        let failure::Failure { component, kind, message, through, .. } = failure.clone();
        Self { component, kind, message, through }
    }
}

/// `db/postgres: the disk is full`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.component, self.message)
    }
}

/// One wait.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    /// An entry `SERVER/COMPONENT/OUTPUT`, or a component `SERVER/COMPONENT` that had to end before.
    pub(super) what: Name,
    /// The input that needs it; `None` if it is only ordered.
    pub(super) input: Option<Name>,
    pub(super) until: Option<Duration>,
}

/// What one component did. Times are steps of the run, which show the order of events, and times on the run's own clock.
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
    /// Records that from now on it waits for these and nothing else. It waited until now for anything else that has arrived
    /// according to `has_come`.
    pub(super) fn waits_for(&mut self, waits: &[Waiting], has_come: impl Fn(&Name) -> bool, now: Duration) {
        for wait in waits {
            let is_it = |before: &Wait| before.what == wait.what && before.input == wait.input;
            if !self.waits.iter().any(is_it) {
                self.waits.push(Wait { what: wait.what.clone(), input: wait.input.clone(), until: None });
            }
        }
        for before in self.waits.iter_mut().filter(|before| before.until.is_none()) {
            if !waits.iter().any(|wait| wait.what == before.what) && has_come(&before.what) {
                before.until = Some(now);
            }
        }
    }
}
