//! A held node, from its holder's view.

use std::time::Duration;

use tokio::sync::{oneshot, watch};

/// How long [`Hold::release`] waits for the store. An unreachable store removes the node by itself.
const RELEASE: Duration = Duration::from_secs(3);

/// A node that exists for as long as this value does, unless it is [lost](Hold::lost).
#[derive(Debug)]
#[must_use = "the node goes when this is dropped"]
pub struct Hold {
    // Dropping this makes the task that keeps the node remove it and end.
    release: oneshot::Sender<()>,
    fate: watch::Receiver<Fate>,
    // How many times the node was created again, as far as its holder knows.
    seen: u64,
}

/// The state of a held node.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    is_lost: bool,
    /// How many times it was created again.
    again: u64,
}

/// A change of a held node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It was gone, and has been created again. Another client may have held it in the meantime.
    Again,
    /// Another client holds it, or it cannot be created again.
    Lost,
}

/// The counterpart of a [`Hold`] in the task that keeps the node. A caller that waits for the release waits until it is
/// dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    released: oneshot::Receiver<()>,
    fate: watch::Sender<Fate>,
}

impl Hold {
    /// A hold, and its counterpart for the keeper.
    pub(super) fn new() -> (Self, Keeper) {
        let (release, released) = oneshot::channel();
        let (sender, fate) = watch::channel(Fate::default());
        (Self { release, fate, seen: 0 }, Keeper { released, fate: sender })
    }

    /// Waits until the node is lost: another client holds it, or it is gone and cannot be created again. A lost node
    /// does not come back by itself. Until then this never returns, however long the store is unreachable. The future
    /// may be dropped and created again.
    pub async fn lost(&mut self) {
        while self.next().await != Turn::Lost {}
    }

    /// Waits for the next change of the node. The future may be dropped and created again.
    pub async fn next(&mut self) -> Turn {
        let seen = self.seen;
        match self.fate.wait_for(|fate| fate.is_lost || fate.again > seen).await {
            Ok(fate) if !fate.is_lost => {
                self.seen = fate.again;
                Turn::Again
            }
            // Without a keeper, the node is not kept.
            Ok(_) | Err(_) => Turn::Lost,
        }
    }

    /// Removes the node. Returns when the store has done so, or has been unreachable for three seconds.
    pub async fn release(self) {
        let Self { release, mut fate, .. } = self;
        drop(release);
        let ended = async { while fate.changed().await.is_ok() {} };
        if tokio::time::timeout(RELEASE, ended).await.is_err() {
            tracing::warn!("cannot notify the data space that this process is ending; it will notice by itself");
        }
    }
}

impl Keeper {
    /// Waits until the hold is released or dropped.
    pub(super) async fn released(&mut self) {
        let _ = (&mut self.released).await;
    }

    /// Notifies the holder that the node was created again.
    pub(super) fn again(&self) {
        self.fate.send_modify(|fate| fate.again += 1);
    }

    /// Notifies the holder that the node is lost.
    pub(super) fn lose(self) {
        self.fate.send_modify(|fate| fate.is_lost = true);
    }
}
