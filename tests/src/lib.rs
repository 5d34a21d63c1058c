//! What several tests and benchmarks of wattle build on.

pub mod conformance;
pub mod proxy;
pub mod random;
pub mod workload;
pub mod zookeeper;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
