//! Pending data of a connection.

use std::io;
use std::sync::{Mutex, MutexGuard};

use serde::Serialize;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Notify;

use super::wire;

/// The pending data of a connection. Senders write to the socket themselves. Only what the socket does not accept at
/// once is left to [`Outbox::pump`].
#[derive(Debug)]
pub(super) struct Outbox {
    socket: OwnedWriteHalf,
    queue: Mutex<Queue>,
    // There is data left for the pump.
    left: Notify,
    // The pump has sent something.
    sent: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    bytes: Vec<u8>,
    // How much of `bytes` the socket has accepted already.
    sent: usize,
}

impl Outbox {
    pub(super) fn new(socket: OwnedWriteHalf) -> Self {
        Self { socket, queue: Mutex::default(), left: Notify::new(), sent: Notify::new() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("INVARIANT: nothing panics while it holds an outbox")
    }

    /// Adds a frame with `content`, which [`Outbox::flush`] sends. Returns `true` if the outbox was empty before.
    pub(super) fn push(&self, content: &impl Serialize) -> bool {
        let mut queue = self.queue();
        let first = queue.bytes.is_empty();
        wire::append(&mut queue.bytes, content);
        first
    }

    /// Adds a prepared frame, which [`Outbox::flush`] sends.
    pub(super) fn push_frame(&self, frame: &[u8]) {
        self.queue().bytes.extend_from_slice(frame);
    }

    /// Adds a frame and sends it.
    pub(super) fn send(&self, frame: &[u8]) {
        self.push_frame(frame);
        self.flush();
    }

    /// Sends as much as the socket accepts at once.
    pub(super) fn flush(&self) {
        if self.try_flush(&mut self.queue()).is_ok_and(|all| !all) {
            self.left.notify_one();
        }
    }

    /// Returns whether everything was sent.
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
                // The connection is broken, which its reader will notice as well.
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

    /// Sends the rest whenever the socket accepts more. Ends when the connection does.
    ///
    /// # Errors
    /// The error that broke the connection.
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

    /// Waits until less than `limit` bytes are left to send. Only one task may call this.
    pub(super) async fn drained(&self, limit: usize) {
        while {
            let queue = self.queue();
            queue.bytes.len() - queue.sent > limit
        } {
            self.sent.notified().await;
        }
    }
}
