//! What signals mean to a process.

use tokio::signal::unix::{Signal, SignalKind, signal};
use wattle::manners::reason;

use crate::cli::error::CommandError;

/// What a signal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
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

    /// The meaning of the next signal.
    pub(super) async fn next(&mut self) -> Meaning {
        tokio::select! {
            _ = self.interrupt.recv() => Meaning::End,
            _ = self.terminate.recv() => Meaning::End,
            _ = self.hang_up.recv() => Meaning::End,
            _ = self.renew.recv() => Meaning::Renew,
        }
    }

    /// Ready when the process is to end.
    pub(super) async fn end(&mut self) {
        while self.next().await != Meaning::End {}
    }
}
