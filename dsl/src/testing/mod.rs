//! Tests of blueprints: the behaviour of a deployed topology, in `cargo test`, without a cloud and without waiting.
//!
//! A [`Trial`] consists of a blueprint and a fake for each of its component types. A fake is a closure from a component's
//! inputs to its outputs, typed as `#[component]` declares them. A [`TrialRun`] simulates the agents: it records which
//! components waited for which, the values that each was given, and the results. Where nothing forces an order, a schedule
//! chooses one, and [`Trial::schedules`] tries many.
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
//! This module contains the simulation and the assertions about it. It must not use I/O, threads or the system's clock,
//! nor have rules of its own: [`wattle_agent_core::machine`] decides what agents do, and [`crate::values`] judges
//! values.

mod change;
mod component_type;
mod engine;
mod fake;
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
pub use component_type::{Fakeable, Given, Inputs, Outputs, Plain, Written};
pub use fake::{Answer, Failed};
pub use ran::Ran;
pub use record::Failure;
pub use run::TrialRun;
pub use schedule::Schedule;
pub use stack::{StackResource, StackTemplate};
pub use trial::Trial;

// Called by generated code only.
#[doc(hidden)]
pub use component_type::Values;
