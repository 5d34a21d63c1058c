//! A typed DSL for application topologies on OpenStack.

pub mod author;
pub mod check;
mod cli;
pub mod emit;
pub mod graph;
pub mod lower;
pub mod model;
pub mod prelude;
pub mod view;

pub use cli::main;
pub use wattle_macros::{Parameters, PortType, blueprint, component, text};
