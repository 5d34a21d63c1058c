//! Clients for OpenStack's services.
//!
//! What belongs here: choosing a cloud ([`clouds`]), logging in ([`identity`]), finding its services ([`catalogue`]),
//! and sending requests ([`session`]), with token renewal, version negotiation, pagination and retries. [`driver`] uses
//! these to carry out the deployment engine's jobs. [`actions`] lists the actions on a server. [`orchestration`]
//! delegates the whole deployment to Heat instead. [`hosts`] reads what only administrators may see. What does not
//! belong here: sockets, clocks and files. Each request goes through a [`Transport`], which is HTTP, a recording, or a
//! simulation. The contents of files and the environment are arguments.

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
pub mod transport;
pub mod version;
mod waits;

pub use clouds::{Cloud, CloudError};
pub use fault::Fault;
pub use secret::Secret;
pub use session::Session;
pub use transport::{Flaw, Lost, Method, Request, Response, Transport};
pub use waits::Wait;
