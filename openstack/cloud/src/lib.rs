//! An in-memory cloud that responds as OpenStack's services do.
//!
//! What belongs here: Keystone, Nova, Neutron, Cinder, and the reading halves of Glance and Placement, as far as a
//! client that deploys infrastructure sees them: what they accept and refuse, the states of their resources, and
//! simulated faults ([`Rule`]). What does not: sockets and clocks. [`World::answer`] is a function of the earlier
//! requests and the given time, so the same requests at the same times get the same responses.
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
mod transport;
mod world;

pub use fault::{Doing, Rule};
pub use nova::{Booted, Joined};
pub use route::services;
pub use transport::Near;
pub use world::{Setting, World};
