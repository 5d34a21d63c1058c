//! Random topologies run by real agents in one process, under a clock that passes when nothing else does: random delays
//! of stores and recipes, crashes at random points, revisions in between.
//!
//! A case is made by its number alone, and is judged by `oracle`, which knows what comes out without running anything.

mod case;
mod fake;
mod oracle;
mod slow;
mod topology;

pub use case::{Chaos, run};
