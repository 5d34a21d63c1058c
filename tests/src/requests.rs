//! Counts this process's requests to a ZooKeeper, based on the client's log: each response, and each connection.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

/// The length of a slot for counting connections, in milliseconds.
pub const SLOT: u128 = 100;

/// The counts so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Responses by the kind of request, as named in ZooKeeper's protocol: `GetData`, `Sync`, `Multi`.
    pub answers: BTreeMap<String, u64>,
    /// Connections tried and failed, and sessions resumed or opened: in each [`SLOT`] since 1970.
    pub connections: BTreeMap<u64, Connections>,
}

/// The outcomes of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// Successful connections.
    pub made: u64,
    /// Failed connections.
    pub refused: u64,
    /// Connections that joined a session.
    pub sessions: u64,
}

impl Counts {
    /// The number of answered requests, except those at the start of every connection.
    pub fn requests(&self) -> u64 {
        self.answers.iter().filter(|(kind, _)| *kind != "Auth").map(|(_, count)| count).sum()
    }

    /// The counts since then.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = self.clone();
        for (kind, count) in &before.answers {
            if let Some(now) = since.answers.get_mut(kind) {
                *now -= count;
            }
        }
        since.answers.retain(|_, count| *count > 0);
        let last = before.connections.keys().next_back().copied();
        since.connections.retain(|slot, _| last.is_none_or(|last| *slot > last));
        since
    }

    /// Adds counts from elsewhere.
    pub fn add(&mut self, other: &Self) {
        for (kind, count) in &other.answers {
            *self.answers.entry(kind.clone()).or_default() += count;
        }
        for (slot, other) in &other.connections {
            let slot = self.connections.entry(*slot).or_default();
            slot.made += other.made;
            slot.refused += other.refused;
            slot.sessions += other.sessions;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests", self.requests())?;
        self.answers.iter().try_for_each(|(kind, count)| write!(f, ", {kind} {count}"))
    }
}

/// Counts for as long as the process lives.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<Mutex<Counts>>);

impl Requests {
    /// Starts to count all requests of this process.
    ///
    /// # Panics
    /// Another subscriber is set for its log.
    pub fn count() -> Self {
        let requests = Self::default();
        tracing::subscriber::set_global_default(requests.clone()).expect("nobody else listens to the log");
        requests
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().expect("INVARIANT: nothing panics while it holds the counts")
    }

    fn slot(counts: &mut Counts) -> &mut Connections {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
        let slot = u64::try_from(since.as_millis() / SLOT).expect("INVARIANT: it fits");
        counts.connections.entry(slot).or_default()
    }
}

impl Subscriber for Requests {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_ours = metadata.target().starts_with("zookeeper_client::session") || *metadata.level() <= Level::ERROR;
        metadata.is_event() && is_ours
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let Text(text) = text;
        if !event.metadata().target().starts_with("zookeeper_client") {
            eprintln!("{text}");
        } else if let Some(answer) = text.strip_prefix("operation get reply: (") {
            let kind = answer.split(',').next().unwrap_or_default();
            *self.locked().answers.entry(kind.to_owned()).or_default() += 1;
        } else if text.starts_with("succeeds in connecting to ") {
            Self::slot(&mut self.locked()).made += 1;
        } else if text.starts_with("fails in connecting to ") {
            Self::slot(&mut self.locked()).refused += 1;
        } else if text.starts_with("succeeds to establish session to ") {
            Self::slot(&mut self.locked()).sessions += 1;
        }
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// The message of an event.
#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}
