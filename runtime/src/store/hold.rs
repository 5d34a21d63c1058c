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
    lost: watch::Receiver<bool>,
}

/// The other side of a [`Hold`]: what the task has that keeps the node. Whoever waits for the release waits until it is
/// dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    released: oneshot::Receiver<()>,
    lost: watch::Sender<bool>,
}

impl Hold {
    /// A hold, and what its keeper has.
    pub(super) fn new() -> (Self, Keeper) {
        let (release, released) = oneshot::channel();
        let (told, lost) = watch::channel(false);
        (Self { release, lost }, Keeper { released, lost: told })
    }

    /// Returns once the node is lost: somebody else holds it, or it is gone and cannot be made again. It is not given
    /// back by itself. Before that it never returns, however long the store cannot be reached. May be dropped and called
    /// again.
    pub async fn lost(&mut self) {
        // A keeper that is gone keeps nothing.
        let _ = self.lost.wait_for(|lost| *lost).await;
    }

    /// Removes the node, and returns when the store has done it, or could not be asked for three seconds.
    pub async fn release(self) {
        let Self { release, mut lost } = self;
        drop(release);
        let ended = async { while lost.changed().await.is_ok() {} };
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

    /// Tells the holder that the node is lost.
    pub(super) fn lose(self) {
        self.lost.send_replace(true);
    }
}
