//! Handling of signals to the process.

use tokio::signal::unix::{Signal, SignalKind, signal};
use wattle::manners::reason;

use crate::cli::error::CommandError;

/// The meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The process has to end.
    End,
    /// A new seed was applied.
    Renew,
}

/// The signals to this process.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    renew: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, CommandError> {
        let listen = |kind| {
            signal(kind).map_err(|error| CommandError::new(format!("cannot listen for signals: {}", reason(&error))))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            renew: listen(SignalKind::user_defined1())?,
        })
    }

    /// Waits for the next signal, and returns its meaning.
    pub(super) async fn next(&mut self) -> Meaning {
        tokio::select! {
            _ = self.interrupt.recv() => Meaning::End,
            _ = self.terminate.recv() => Meaning::End,
            _ = self.hang_up.recv() => Meaning::End,
            _ = self.renew.recv() => Meaning::Renew,
        }
    }

    /// Waits until the process has to end.
    pub(super) async fn end(&mut self) {
        while self.next().await != Meaning::End {}
    }
}
