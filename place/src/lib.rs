//! Where servers go, decided together: the cloud as a file, policies, and the placement that keeps them.
//!
//! What lives here: what a cloud's hosts offer ([`Cloud`]), what servers ask for ([`Problem`]), the solver ([`place`]), the checker
//! that believes no solver ([`verify`]), why there is no placement ([`Conflict`]), and templates with places ([`template`]), which alone
//! knows templates. What must not: I/O, clocks, and chance: the same cloud and the same problem give the same placement.

#![forbid(unsafe_code)]

mod amount;
mod cloud;
pub mod codes;
mod conflict;
mod problem;
mod solve;
pub mod template;
mod verify;

pub use cloud::{Amounts, Cloud, DISK, Flavor, Flavors, Host, Level, MEMORY, VCPUS};
pub use conflict::{Conflict, Part};
pub use problem::{DISTANCES, Flaw, Policy, Problem, Rule, Server, Strength, WEIGHT, Wire};
pub use solve::{Effort, Placement, Unplaced, place};
pub use verify::{Breach, Verdict, verify};
