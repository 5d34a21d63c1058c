//! A typed DSL for application topologies on OpenStack.

pub mod author;
pub mod check;
pub mod graph;
pub mod model;
pub mod prelude;
