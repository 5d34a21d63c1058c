//! The live view: the page of a topology with its current state, served to browsers on this machine.
//!
//! This module contains the server, what it sends, and who may ask. What the page looks like is up to
//! [`wattle::diagram`], and the command line is elsewhere. Like the page, the server only reads: no request changes
//! anything.
//!
//! Everyone who has the URL may look. It contains a token, without which every request is refused. A name in the header
//! `Host` that is not this machine's own is refused as well, so that no page of another site can send requests on a
//! browser's behalf (`guard`). Every browser has one stream of events. Whenever it takes more, what it was sent last is
//! compared with the current state. So a slow browser costs no memory, and skips states that have passed.

mod answer;
mod entry;
mod guard;
mod log;
mod page;
mod plan;
mod refusal;
mod server;
mod stream;
mod view;
mod watcher;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use wattle::diagram::Diagram;

use crate::deploy::Maker;
use crate::space::{OperatorKey, Space};

pub use page::drawn;
pub use server::{Listening, Ui};

/// What is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The data space of the stack.
    pub space: Space,
    /// What decrypts what was requested of the stack's infrastructure, and who reads it.
    pub opens: Option<(OperatorKey, Arc<dyn Maker>)>,
    /// The directory in which `emit` may have left `graph.json`.
    pub directory: Option<PathBuf>,
    /// The directory above the servers' logs, if these are on this machine: `SERVER/agent.log`.
    pub logs: Option<PathBuf>,
    /// What the stack was [drawn as](drawn) when the view began, for a stack that may soon have nothing left to draw.
    pub before: Option<Arc<Diagram>>,
}

/// Why there is no live view.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// Something else already listens there.
    #[error("port {} of {} is in use by another program", address.port(), address.ip())]
    Taken {
        /// The address.
        address: SocketAddr,
    },
    /// It is not an address of this machine.
    #[error("{} is not an address of this machine", address.ip())]
    Elsewhere {
        /// The address.
        address: SocketAddr,
    },
    /// The system refuses to listen there.
    #[error("cannot listen on {address}: {}", wattle::manners::reason(source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: std::io::Error,
    },
}
