//! A cloud that answers as OpenStack's services do, in memory.
//!
//! What lives here: Keystone, Nova, Neutron, Cinder and the reading half of Glance, as far as somebody sees them who brings up
//! infrastructure: what they take and refuse, in which states things are meanwhile, and what else goes wrong ([`Rule`]). What
//! must not: sockets and clocks. [`World::answer`] is a function of what was asked before and of the time that it is given,
//! so the same requests at the same times get the same answers.
//!
//! Servers boot nothing here. Whoever has them boot looks at [`World::servers`].

mod cinder;
mod fault;
mod glance;
mod id;
mod keystone;
mod listing;
mod neutron;
mod nova;
mod reply;
mod route;
mod wire;
mod world;

pub use fault::{Doing, Rule};
pub use nova::{Booted, Joined};
pub use route::services;
pub use wire::Near;
pub use world::{Setting, World};
