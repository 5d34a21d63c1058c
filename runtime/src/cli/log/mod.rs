//! The log of an agent: its filter, format and destination.
//!
//! Lines go through a bounded queue to a thread that writes them, so logging never waits for a disk or a pipe. If the
//! queue is full, lines are dropped and counted. The messages themselves do not belong here.

mod console;
mod file;
mod queue;
mod recent;
mod shown;

use std::io;
use std::path::Path;
use std::sync::Arc;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::agent::Recent;
use crate::clock;

pub(super) use console::ServerConsole;
use file::Rotated;
use queue::{Flush, Queue};
use recent::Keep;
pub(super) use shown::plain;

/// The level unless `RUST_LOG` sets another.
const DEFAULT: LevelFilter = LevelFilter::INFO;
/// ZooKeeper's client logs each attempt to connect. This program decides which of them matter, and how often.
const CLIENT: &str = "zookeeper_client";

/// The format of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) is_json: bool,
    pub(super) color: bool,
}

/// Logs to `file` or to the standard error until the result is dropped. By then, everything has been written. The last
/// lines are kept in `recent`, and lines of the agent itself also appear on the server's console.
///
/// # Errors
/// The file cannot be opened.
pub(super) fn start(file: Option<&Path>, format: Format, recent: Arc<Recent>) -> io::Result<Flush> {
    let note = move |text: &str| note(format, text);
    let color = format.color && file.is_none();
    let shown = match format {
        Format { is_json: true, .. } => shown::json,
        _ if color => shown::colored,
        _ => shown::plain,
    };
    let (queue, flush) = match file {
        Some(path) => Queue::start(Rotated::open(path, note)?, shown, note),
        None => Queue::start(io::stderr(), shown, note),
    }?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || queue.clone())
        .with_ansi(color)
        .with_target(false)
        .with_timer(Rfc3339);
    let chosen = filter(&std::env::var("RUST_LOG").unwrap_or_default());
    let subscriber = tracing_subscriber::registry().with(chosen).with(Keep(recent, ServerConsole::named()));
    // There is another subscriber only if this was called twice.
    let _ = if format.is_json { subscriber.with(lines.json()).try_init() } else { subscriber.with(lines).try_init() };
    Ok(flush)
}

/// Parses `RUST_LOG`: levels and `TARGET=LEVEL`, separated by commas. Ignores anything else. The client is included
/// only if it is named.
///
/// Filters by spans and fields would need a regular expression engine, which is larger than the whole log module.
fn filter(chosen: &str) -> Targets {
    let parts = chosen.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<Targets> = parts.filter_map(|part| part.parse().ok()).collect();
    let mut filter = Targets::new();
    if parts.is_empty() {
        filter = filter.with_default(DEFAULT);
    }
    if !chosen.contains(CLIENT) {
        filter = filter.with_target(CLIENT, LevelFilter::ERROR);
    }
    for part in parts {
        if let Some(level) = part.default_level() {
            filter = filter.with_default(level);
        }
        filter = filter.with_targets(part);
    }
    filter
}

/// Formats a line about the log itself.
fn note(format: Format, text: &str) -> String {
    let now = format!("{:.3}", clock::now());
    if format.is_json {
        let line = serde_json::json!({ "timestamp": now, "level": "WARN", "fields": { "message": text } });
        return format!("{line}\n");
    }
    format!("{now}  WARN {text}\n")
}

struct Rfc3339;

impl tracing_subscriber::fmt::time::FormatTime for Rfc3339 {
    fn format_time(&self, out: &mut tracing_subscriber::fmt::format::Writer<'_>) -> std::fmt::Result {
        write!(out, "{:.3}", clock::now())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Said(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn said(chosen: &str) -> String {
        let said = Said::default();
        let writer = said.clone();
        let lines = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(filter(chosen)).with(lines);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!("ours");
            tracing::debug!("ours, in detail");
            tracing::warn!(target: "zookeeper_client::session", "fails to establish session");
            tracing::error!(target: "zookeeper_client::session", "never seen before");
        });
        let bytes = said.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn attempts_to_connect_are_not_said_twice() {
        for chosen in ["", "info", "wattle_runtime=debug", "debug"] {
            let said = said(chosen);
            assert!(said.contains("ours") && said.contains("never seen before"), "{chosen}: {said}");
            assert!(!said.contains("fails to establish"), "{chosen}: {said}");
        }
        assert!(said("debug").contains("in detail"));
        assert!(said("info,zookeeper_client=info").contains("fails to establish"));
        for wrong in [",", "wattle=loud", "[span]=debug=debug"] {
            assert!(said(wrong).contains("ours"), "{wrong}: {}", said(wrong));
        }
    }
}
