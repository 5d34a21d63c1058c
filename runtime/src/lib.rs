//! The runtime of a lowered topology: the data space, the agent on each server, and a whole topology on one machine.

pub mod agent;
pub mod ca;
pub mod cli;
pub mod clock;
pub mod deploy;
pub mod ensemble;
pub mod local;
mod lock;
mod log_file;
pub mod openstack;
mod own_folder;
mod parallel;
mod peer;
mod pem;
pub mod recipe;
pub mod report;
pub mod seed;
pub mod space;
pub mod store;
pub mod ui;
