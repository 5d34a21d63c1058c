//! A typed DSL for application topologies on OpenStack.

pub mod author;
pub mod check;
pub mod emit;
pub mod graph;
pub mod lower;
pub mod model;
pub mod prelude;

pub use wattle_macros::{Parameters, PortType, blueprint, component, text};
pub mod view;
