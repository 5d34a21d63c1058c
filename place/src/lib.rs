//! Places servers, all of them together: the cloud as a file, policies, and the placement that satisfies them.
//!
//! What belongs here: the hosts of a cloud ([`Cloud`]), the demands of servers ([`Problem`]), the solver ([`place`]),
//! the checker that does not trust the solver ([`verify`]), why there is no placement ([`Conflict`]), and templates
//! with places ([`template`], the only part that knows templates). What does not: I/O, clocks and randomness. The same
//! cloud and the same problem yield the same placement.

#![forbid(unsafe_code)]

mod amount;
mod cloud;
pub mod codes;
mod conflict;
mod problem;
mod solve;
pub mod template;
mod verify;

pub use cloud::{Amounts, Cloud, DISK, Described, Flavor, Flavors, Host, Level, MEMORY, VCPUS, hosts_file, resource};
pub use conflict::{Conflict, Part};
pub use problem::{DISTANCES, Flaw, PlacementRule, Policy, Problem, Server, Strength, WEIGHT, Wire};
pub use solve::{Effort, Placement, Unplaced, place};
pub use verify::{Breach, Verdict, verify};
