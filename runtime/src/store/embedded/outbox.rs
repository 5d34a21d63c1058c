//! What is to be sent on a connection.

use std::io;
use std::sync::{Mutex, MutexGuard};

use serde::Serialize;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Notify;

use super::wire;

/// What is to be sent on a connection. Whoever has something to send writes it to the socket himself; only what the
/// socket does not take at once is left to [`Outbox::pump`].
#[derive(Debug)]
pub(super) struct Outbox {
    socket: OwnedWriteHalf,
    queue: Mutex<Queue>,
    // Something is left for the pump.
    left: Notify,
    // The pump has sent something.
    sent: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    bytes: Vec<u8>,
    // Of `bytes`, what the socket took already.
    sent: usize,
}

impl Outbox {
    pub(super) fn new(socket: OwnedWriteHalf) -> Self {
        Self { socket, queue: Mutex::default(), left: Notify::new(), sent: Notify::new() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("INVARIANT: nothing panics while it holds an outbox")
    }

    /// Adds a frame with `content`; [`Outbox::flush`] sends it. True if nothing was there before.
    pub(super) fn push(&self, content: &impl Serialize) -> bool {
        let mut queue = self.queue();
        let first = queue.bytes.is_empty();
        wire::append(&mut queue.bytes, content);
        first
    }

    /// Adds a frame that was made before; [`Outbox::flush`] sends it.
    pub(super) fn push_frame(&self, frame: &[u8]) {
        self.queue().bytes.extend_from_slice(frame);
    }

    /// Adds a frame, and sends it.
    pub(super) fn send(&self, frame: &[u8]) {
        self.push_frame(frame);
        self.flush();
    }

    /// Sends what the socket takes at once.
    pub(super) fn flush(&self) {
        if self.try_flush(&mut self.queue()).is_ok_and(|all| !all) {
            self.left.notify_one();
        }
    }

    /// Whether all was sent.
    fn try_flush(&self, queue: &mut Queue) -> io::Result<bool> {
        while queue.sent < queue.bytes.len() {
            match self.socket.try_write(&queue.bytes[queue.sent..]) {
                Ok(sent) => queue.sent += sent,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if queue.sent > queue.bytes.len() / 2 {
                        queue.bytes.drain(..queue.sent);
                        queue.sent = 0;
                    }
                    return Ok(false);
                }
                // The connection is broken, which whoever reads from it will see as well.
                Err(error) => {
                    *queue = Queue::default();
                    return Err(error);
                }
            }
        }
        queue.bytes.clear();
        queue.bytes.shrink_to(1 << 20);
        queue.sent = 0;
        Ok(true)
    }

    /// Sends what the socket did not take at once, whenever it takes it. Ends when the connection does.
    ///
    /// # Errors
    /// What broke the connection.
    pub(super) async fn pump(&self) -> io::Result<()> {
        loop {
            self.left.notified().await;
            while !self.try_flush(&mut self.queue())? {
                self.sent.notify_one();
                self.socket.writable().await?;
            }
            self.sent.notify_one();
        }
    }

    /// Waits until less than `limit` bytes are left to be sent. For one task only.
    pub(super) async fn drained(&self, limit: usize) {
        while {
            let queue = self.queue();
            queue.bytes.len() - queue.sent > limit
        } {
            self.sent.notified().await;
        }
    }
}
