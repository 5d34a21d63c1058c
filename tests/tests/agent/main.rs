//! Single agents: the socket, the journal before the entry, a full disk, waits with reasons, superseding revisions.

#![expect(clippy::unwrap_used, reason = "failures panic")]

mod keeps;
mod live;
mod stores;
mod waits;
mod world;
