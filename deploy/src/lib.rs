//! A template with all that it names, as what infrastructure is to become: the side of a goal that `wattle_converge` asks.
//!
//! What lives here: which resources of a template are things in a cloud and which the engine is itself, what each of them waits
//! for, what it is once that is there, and which change makes another thing of it. What Heat makes of templates is
//! `wattle_heat`'s; what a service is asked is a driver's, of which only [`Kinds`] is known here. What must not: I/O, clocks and
//! chance.

#![forbid(unsafe_code)]

mod answers;
pub mod codes;
mod config;
mod deployment;
mod digest;
mod kinds;
mod made;
mod multipart;
mod named;
mod needs;
mod output;
mod random;
mod refusals;
mod role;
mod signals;
mod user_data;
mod wanted;

pub use deployment::Deployment;
pub use kinds::Kinds;
pub use made::{is_made_here, made_here};
pub use named::Named;
pub use output::Output;
pub use signals::{CONDITION, HANDLE, Waits};
