//! What several tests and benchmarks of wattle build on.

pub mod command;
pub mod conformance;
pub mod lab;
pub mod oracle;
pub mod proxy;
pub mod random;
pub mod seeds;
pub mod skip;
pub mod workload;
pub mod zookeeper;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
