//! The engine that brings infrastructure to its desired state. It takes facts and events, and returns writes and jobs.
//!
//! What belongs here: the stored facts ([`DesiredState`], [`Good`], [`Row`]), the predicates that determine the
//! possible next actions, and [`State::step`], which responds to an [`Event`] with what to write and what to carry out
//! afterwards. What does not: I/O, a clock, an executor, and any knowledge of particular resources. This crate sees
//! only names, values and digests of properties. A [`Target`] resolves them, and the worker that carries out a [`Job`]
//! knows the cloud.
//!
//! Only facts are stored. There is no stored graph, no lock and no progress marker. Every order follows from the rows,
//! so the desired state may change at any time, and a crash loses nothing.
//!
//! # How to drive it
//!
//! 1. [`State::load`] takes the stored facts, under a term that was never used before.
//! 2. Pass each [`Event`] to [`State::step`] with the current time.
//! 3. Store [`Step::writes`] in order, fenced so that a deposed leader stores nothing. Then, and only if they are stored, begin
//!    [`Step::jobs`]. Begin no request for a job after its [`Job::not_after`].
//! 4. Send [`Event::Tick`] at [`State::wakes`] at the latest.

mod begin;
mod deadlines;
mod desired_state;
mod event;
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

pub use desired_state::{Cleanup, Desire, DesiredState, Good, OnFailure, Refusal};
pub use event::{Adopted, Event, Sight};
pub use id::{Id, NoId};
pub use job::{Job, Notice, Outcome, Step, What, Write};
pub use limits::Limits;
pub use row::{Act, Intent, Row, RowFailure, Stage};
pub use state::{State, Stored};
pub use target::{Effect, Known, Target, Thing, Wanted};
pub use time::Time;
pub use words::{Wait, Why};
