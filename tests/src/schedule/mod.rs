//! Random topologies run by real agents in one process, under a clock that advances when nothing else happens: random
//! delays of stores and recipes, crashes at random points, revisions in between.
//!
//! A case is determined by its number, and is judged by `oracle`, which computes the results without running anything.

mod case;
mod fake;
mod oracle;
mod slow;
mod topology;

pub use case::{Chaos, run};
