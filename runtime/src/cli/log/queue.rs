//! The queue between the code that logs and the thread that writes.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

/// The capacity of the queue, in lines.
const LINES: usize = 2048;
/// How long to wait at the end for pending lines.
const PATIENCE: Duration = Duration::from_secs(2);

enum Message {
    Line(Vec<u8>),
    /// Requests a reply once everything before it is written.
    Flush(SyncSender<()>),
}

/// A handle that accepts lines. Cheap to clone.
#[derive(Clone)]
pub(super) struct Queue {
    sender: SyncSender<Message>,
    left_out: Arc<AtomicU64>,
    shown: fn(&str) -> String,
}

/// When dropped, waits until all lines are written, for at most two seconds.
#[must_use = "what is said last is written when this is dropped"]
pub(in crate::cli) struct Flush(Queue);

impl Queue {
    /// Writes the lines of the queue to `target`, formatted by `shown`. `note` formats a line about the log itself.
    pub(super) fn start(
        target: impl Write + Send + 'static,
        shown: fn(&str) -> String,
        note: impl Fn(&str) -> String + Send + 'static,
    ) -> io::Result<(Self, Flush)> {
        let (sender, receiver) = sync_channel(LINES);
        let queue = Self { sender, left_out: Arc::default(), shown };
        let left_out = Arc::clone(&queue.left_out);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || write(&receiver, target, &left_out, note))?;
        let flush = Flush(queue.clone());
        Ok((queue, flush))
    }
}

fn write(receiver: &Receiver<Message>, mut target: impl Write, left_out: &AtomicU64, note: impl Fn(&str) -> String) {
    for message in receiver {
        let missing = left_out.swap(0, Ordering::Relaxed);
        if missing > 0 {
            let text = format!("{missing} lines of this log are left out: they came faster than they could be written");
            if target.write_all(note(&text).as_bytes()).is_err() {
                left_out.fetch_add(missing, Ordering::Relaxed);
            }
        }
        match message {
            Message::Line(line) => {
                // A full disk may have room again later.
                if target.write_all(&line).is_err() {
                    left_out.fetch_add(1, Ordering::Relaxed);
                }
            }
            Message::Flush(done) => {
                let _ = target.flush();
                let _ = done.try_send(());
            }
        }
    }
}

/// Each call is one line, as `tracing_subscriber` makes them. Whatever it quotes from others, it stays one line without
/// invisible characters.
impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shown = (self.shown)(&String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)));
        if self.sender.try_send(Message::Line((shown + "\n").into_bytes())).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Flush {
    fn drop(&mut self) {
        let end = Instant::now() + PATIENCE;
        let (done, written) = sync_channel(1);
        let mut message = Message::Flush(done);
        while let Err(TrySendError::Full(back)) = self.0.sender.try_send(message) {
            if Instant::now() > end {
                return;
            }
            message = back;
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = written.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    /// A writer that blocks until it is released.
    struct Stuck {
        gate: Receiver<()>,
        is_open: bool,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.is_open {
                self.gate.recv().unwrap();
                self.is_open = true;
            }
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_a_log_that_is_stuck() {
        let (open, gate) = channel();
        let written: Arc<Mutex<Vec<u8>>> = Arc::default();
        let target = Stuck { gate, is_open: false, written: Arc::clone(&written) };
        let (mut queue, flush) = Queue::start(target, str::to_owned, |text| format!("({text})\n")).unwrap();
        let all = 3 * LINES;
        for number in 0..all {
            queue.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
        open.send(()).unwrap();
        drop(flush);
        let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        // There is more than one if the writing thread started late.
        let notes = text.lines().filter_map(|line| line.strip_prefix('(')).collect::<Vec<_>>();
        let missing: usize = notes.iter().map(|note| note.split(' ').next().unwrap().parse::<usize>().unwrap()).sum();
        assert_eq!(text.lines().count() - notes.len() + missing, all);
        assert!(missing >= all - LINES - 1, "{missing}");
    }
}
