//! A template with all that it names, as a target for infrastructure: the part of a desired state that
//! `wattle_converge` queries.
//!
//! What belongs here: which resources of a template are things in a cloud and which exist only in the engine, what each
//! of them depends on, its attributes once it exists, and which changes require a replacement. Heat's interpretation of
//! templates belongs to `wattle_heat`. Requests to services belong to a driver, of which this crate knows only
//! [`ResourceTypes`]. What does not belong here: I/O, clocks and randomness.

#![forbid(unsafe_code)]

mod answers;
pub mod codes;
mod config;
mod deployment;
mod digest;
mod made;
mod multipart;
mod named;
mod needs;
mod output;
mod random;
mod refusals;
mod resource_types;
mod role;
mod signals;
mod user_data;
mod wanted;

pub use deployment::Deployment;
pub use made::{is_made_here, made_here};
pub use named::Named;
pub use output::{Output, secret_outputs};
pub use resource_types::ResourceTypes;
pub use signals::{CONDITION, HANDLE, Waits};
