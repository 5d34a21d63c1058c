//! How infrastructure becomes what a goal asks for: facts and events in, writes and jobs out.
//!
//! What lives here: the facts that are stored ([`Goal`], [`Good`], [`Row`]), the predicates that say what may be done
//! next, and [`State::step`], which answers an [`Event`] with what is to be written and what is then to be carried out.
//! What must not: I/O, a clock, an executor, and anything that knows what a resource is. Names, values and digests of
//! properties are all that this crate sees; a [`Target`] resolves them, and whoever carries a [`Job`] out knows the cloud.
//!
//! Only facts are stored. There is no stored graph, no lock and no progress mark: every order follows from the rows, so a
//! goal may change at any time, and a crash loses nothing.
//!
//! # How it is driven
//!
//! 1. [`State::load`] takes what is stored, under a term that nobody had before.
//! 2. Each [`Event`] goes to [`State::step`] with the time that it is.
//! 3. [`Step::writes`] are stored, in their order and fenced, so that a deposed leader stores nothing. Then, and only if they are
//!    stored, [`Step::jobs`] are begun. Nobody begins a request for a job after its [`Job::not_after`].
//! 4. At [`State::wakes`], at the latest, comes [`Event::Tick`].

mod begin;
mod deadlines;
mod event;
mod goal;
mod id;
mod index;
mod job;
mod limits;
mod naive;
mod predicates;
mod row;
mod settle;
mod state;
mod step;
mod target;
mod time;
mod view;
mod words;

pub use event::{Adopted, Event, Sight};
pub use goal::{Cleanup, Desire, Goal, Good, OnFailure, Refusal};
pub use id::{Id, NoId};
pub use job::{Job, Notice, Outcome, Step, What, Write};
pub use limits::Limits;
pub use row::{Act, Failure, Intent, Row, Stage};
pub use state::{State, Stored};
pub use target::{Change, Known, Target, Thing, Wanted};
pub use time::Time;
pub use words::{Wait, Why};
