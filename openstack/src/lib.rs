//! How OpenStack's services are asked.
//!
//! What lives here: which cloud is meant ([`clouds`]), how one logs in ([`identity`]), where its services are
//! ([`catalogue`]), and how a request gets its answer ([`session`]): tokens that expire, versions, pages, services that are
//! busy. [`driver`] is what asks: it carries out the deployment engine's jobs. [`orchestration`] asks Heat
//! to do the whole instead. What must not: sockets, clocks and files. One request goes through a [`Wire`], which is HTTP, a recording, or a
//! simulation; texts of files and the environment are arguments.

pub mod catalogue;
pub mod clouds;
pub mod driver;
mod environment;
pub mod fault;
pub mod identity;
pub mod orchestration;
mod page;
mod secret;
pub mod session;
pub mod version;
pub mod wire;

pub use clouds::{Cloud, CloudError};
pub use fault::Fault;
pub use secret::Secret;
pub use session::Session;
pub use wire::{Flaw, Lost, Method, Request, Response, Wire};
