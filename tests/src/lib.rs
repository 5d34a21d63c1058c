//! What several tests and benchmarks of wattle build on.

pub mod random;
pub mod workload;
