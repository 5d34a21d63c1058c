//! A node that somebody holds, as its holder sees it.

use std::time::Duration;

use tokio::sync::{oneshot, watch};

/// How long [`Hold::release`] waits for the store. One that cannot be reached removes the node by itself.
const RELEASE: Duration = Duration::from_secs(3);

/// A node that is there for as long as this lives, unless it is [lost](Hold::lost).
#[derive(Debug)]
#[must_use = "the node goes when this is dropped"]
pub struct Hold {
    // Dropped, it tells the task that keeps the node to remove it and end.
    release: oneshot::Sender<()>,
    fate: watch::Receiver<Fate>,
    // How often it was made again, as far as its holder knows.
    seen: u64,
}

/// What has become of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    is_lost: bool,
    /// How often it was made again.
    again: u64,
}

/// What becomes of a node that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It was gone, and was made again: somebody else may have held it meanwhile.
    Again,
    /// Somebody else holds it, or it cannot be made again.
    Lost,
}

/// The other side of a [`Hold`]: what the task has that keeps the node. Whoever waits for the release waits until it is
/// dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    released: oneshot::Receiver<()>,
    fate: watch::Sender<Fate>,
}

impl Hold {
    /// A hold, and what its keeper has.
    pub(super) fn new() -> (Self, Keeper) {
        let (release, released) = oneshot::channel();
        let (told, fate) = watch::channel(Fate::default());
        (Self { release, fate, seen: 0 }, Keeper { released, fate: told })
    }

    /// Returns once the node is lost: somebody else holds it, or it is gone and cannot be made again. It is not given
    /// back by itself. Before that it never returns, however long the store cannot be reached. May be dropped and called
    /// again.
    pub async fn lost(&mut self) {
        while self.next().await != Turn::Lost {}
    }

    /// Returns once something becomes of the node. May be dropped and called again.
    pub async fn next(&mut self) -> Turn {
        let seen = self.seen;
        match self.fate.wait_for(|fate| fate.is_lost || fate.again > seen).await {
            Ok(fate) if !fate.is_lost => {
                self.seen = fate.again;
                Turn::Again
            }
            // A keeper that is gone keeps nothing.
            Ok(_) | Err(_) => Turn::Lost,
        }
    }

    /// Removes the node, and returns when the store has done it, or could not be asked for three seconds.
    pub async fn release(self) {
        let Self { release, mut fate, .. } = self;
        drop(release);
        let ended = async { while fate.changed().await.is_ok() {} };
        if tokio::time::timeout(RELEASE, ended).await.is_err() {
            tracing::warn!("the data space cannot be told that this process ends; it will notice by itself");
        }
    }
}

impl Keeper {
    /// Returns once the hold is released or dropped.
    pub(super) async fn released(&mut self) {
        let _ = (&mut self.released).await;
    }

    /// Tells the holder that the node was made again.
    pub(super) fn again(&self) {
        self.fate.send_modify(|fate| fate.again += 1);
    }

    /// Tells the holder that the node is lost.
    pub(super) fn lose(self) {
        self.fate.send_modify(|fate| fate.is_lost = true);
    }
}
