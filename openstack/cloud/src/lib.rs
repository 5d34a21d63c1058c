//! A cloud in memory that answers as OpenStack's services do.
//!
//! What belongs here: Keystone, Nova, Neutron, Cinder, and the reading halves of Glance and Placement, as far as a client that
//! deploys infrastructure sees them: what they accept and refuse, the states that things go through, and what else goes wrong ([`Rule`]).
//! What does not: sockets and clocks. [`World::answer`] is a function of the earlier requests and of the time that it is given,
//! so the same requests at the same times get the same answers.
//!
//! Servers do not boot here. To boot them elsewhere, read [`World::servers`].

mod cinder;
mod fault;
mod glance;
mod id;
mod keystone;
mod listing;
mod neutron;
mod nova;
mod placement;
mod reply;
mod route;
mod wire;
mod world;

pub use fault::{Doing, Rule};
pub use nova::{Booted, Joined};
pub use route::services;
pub use wire::Near;
pub use world::{Setting, World};
