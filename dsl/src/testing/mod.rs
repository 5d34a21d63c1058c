//! Tests of blueprints: what a topology does once it is deployed, in `cargo test`, without a cloud and in no time.
//!
//! A [`Trial`] takes a blueprint and a fake for each kind of its components: a closure from what the component reads to what
//! it writes, typed as `#[component]` declares them. A [`TrialRun`] of it simulates the agents: it knows who waited for whom, what
//! each component was given and what came out. A schedule chooses who comes first where nothing makes anybody wait, and
//! [`Trial::schedules`] tries many.
//!
//! ```
//! use wattle::prelude::*;
//! use wattle::testing::{Given, Outputs, Trial};
//!
//! /// Greets whoever is named.
//! #[component(recipe = "src/check/examples/greet.sh")]
//! pub struct Greeter {
//!     /// Whom to greet.
//!     #[input]
//!     name: String,
//!     /// The greeting.
//!     #[output]
//!     greeting: String,
//! }
//!
//! /// Two servers; the second greets with the words of the first.
//! #[blueprint]
//! pub fn hello(t: &mut Topology) -> Exports {
//!     let [alice, bob] = ["alice", "bob"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
//!     let first = t.on(alice).run("greeter", Greeter::new().name("world"));
//!     let second = t.on(bob).run("greeter", Greeter::new().name(first.greeting));
//!     Exports::new().entry("greeting", second.greeting)
//! }
//!
//! let trial = Trial::of(hello)
//!     .fake(|it: Given<Greeter>| Outputs::<Greeter> { greeting: format!("hello, {}", it.name) });
//! trial.schedules(0..20, |run| {
//!     run.component("bob/greeter").waits_for("alice/greeter");
//!     assert_eq!(run.export::<String>("greeting"), "hello, hello, world");
//! });
//!
//! let run = trial.failing("alice/greeter", "the disk is full").run();
//! run.component("bob/greeter").failed_because_of("alice/greeter").never_started();
//! ```
//!
//! What lives here: the simulation and what can be asserted of it. What must not: I/O, threads, the system's clock; and
//! rules of its own. What agents decide is decided by [`wattle_agent_core::machine`], and values are judged by
//! [`crate::values`].

mod change;
mod engine;
mod fake;
mod kind;
mod made_up;
mod order;
mod ran;
mod record;
mod run;
mod schedule;
mod setting;
mod stack;
mod story;
mod trial;
mod world;

pub use crate::values::FailureKind;
pub use change::TrialPlan;
pub use fake::{Answer, Failed};
pub use kind::{Fakeable, Given, Inputs, Outputs, Plain, Written};
pub use ran::Ran;
pub use record::Failure;
pub use run::TrialRun;
pub use schedule::Schedule;
pub use stack::{StackResource, StackTemplate};
pub use trial::Trial;

// What only generated code calls.
#[doc(hidden)]
pub use kind::Values;
