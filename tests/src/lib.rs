//! What several tests and benchmarks of wattle build on.

pub mod command;
pub mod conformance;
pub mod lab;
pub mod machine;
pub mod native;
pub mod oracle;
pub mod proxy;
pub mod random;
pub mod running;
pub mod schedule;
pub mod seeds;
pub mod skip;
pub mod stores;
pub mod workload;
pub mod zookeeper;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The code of the page on parts compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/parts.md")]
struct Parts;

/// The code of the page on the catalog compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/catalog.md")]
struct Catalog;
