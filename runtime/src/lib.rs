//! What runs a topology that was lowered: the data space, the agent on each server, and a whole topology on one machine.

pub mod recipe;
pub mod space;
pub mod store;
