//! The live view: the page of a topology with how it is doing, served to browsers on this machine.
//!
//! What lives here: the server, what it tells, and who may ask. What must not: what the page looks like, which is
//! [`wattle::diagram`]'s, and the command line. Like it, this only looks: nothing that is asked for changes anything.
//!
//! Whoever has the URL may look: it holds a token without which everything is refused. A name in the header `Host` that is
//! not this machine's own is refused as well, so that no page of another site can ask in a browser's name (`guard`).
//! Every browser has one stream of events; what it was told last is compared with what is so now whenever it takes more, so
//! one that is slow costs no memory and passes over what has passed.

mod answer;
mod entry;
mod guard;
mod log;
mod page;
mod plan;
mod server;
mod stream;
mod view;
mod watcher;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::deploy::Maker;
use crate::space::{OperatorKey, Space};

pub use server::{Listening, Ui};

/// What is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The data space of the stack.
    pub space: Space,
    /// What opens what was asked for of the stack's infrastructure, and who reads it.
    pub opens: Option<(OperatorKey, Arc<dyn Maker>)>,
    /// Where `emit` may have left `graph.json`.
    pub directory: Option<PathBuf>,
    /// Above the logs of the servers, if these are on this machine: `SERVER/agent.log`.
    pub logs: Option<PathBuf>,
}

/// Why there is no live view.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// Something else listens there.
    #[error("port {} of {} is taken by another program", address.port(), address.ip())]
    Taken {
        /// Where.
        address: SocketAddr,
    },
    /// It is no address of this machine.
    #[error("{} is no address of this machine", address.ip())]
    Elsewhere {
        /// Which.
        address: SocketAddr,
    },
    /// The system refuses.
    #[error("cannot listen at {address}: {}", wattle::manners::reason(source))]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}
