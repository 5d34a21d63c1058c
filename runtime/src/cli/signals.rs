//! What signals tell a process.

use tokio::signal::unix::{Signal, SignalKind, signal};
use wattle::manners::reason;

use crate::cli::failure::Failure;

/// What a signal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The process is to end.
    End,
    /// Another seed was applied.
    Renew,
}

/// The signals that this process gets.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    renew: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|error| Failure::new(format!("cannot listen for signals: {}", reason(&error))));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            renew: listen(SignalKind::user_defined1())?,
        })
    }

    /// The meaning of the next signal.
    pub(super) async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.interrupt.recv() => Told::End,
            _ = self.terminate.recv() => Told::End,
            _ = self.hang_up.recv() => Told::End,
            _ = self.renew.recv() => Told::Renew,
        }
    }

    /// Ready when the process is to end.
    pub(super) async fn end(&mut self) {
        while self.next().await != Told::End {}
    }
}
