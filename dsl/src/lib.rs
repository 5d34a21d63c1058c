//! A typed DSL for application topologies on OpenStack.

pub mod author;
pub mod model;
pub mod prelude;
