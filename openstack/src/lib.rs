//! Talks to OpenStack's services.
//!
//! What belongs here: choosing a cloud ([`clouds`]), logging in ([`identity`]), finding its services ([`catalogue`]), and getting
//! the answer to a request ([`session`]): tokens that expire, versions, pages, and busy services. [`driver`] uses these to carry
//! out the deployment engine's jobs. [`actions`] lists what was done to a server. [`orchestration`] has Heat do the whole deployment instead. [`hosts`] reads what only
//! administrators see. What does not belong here: sockets, clocks and files. Each request goes through a [`Wire`], which is HTTP,
//! a recording, or a simulation. The texts of files and the environment are arguments.

pub mod actions;
pub mod catalogue;
pub mod clouds;
pub mod driver;
mod environment;
pub mod fault;
pub mod hosts;
pub mod identity;
mod names;
pub mod orchestration;
mod page;
mod secret;
pub mod session;
pub mod version;
mod waits;
pub mod wire;

pub use clouds::{Cloud, CloudError};
pub use fault::Fault;
pub use secret::Secret;
pub use session::Session;
pub use waits::Wait;
pub use wire::{Flaw, Lost, Method, Request, Response, Wire};
