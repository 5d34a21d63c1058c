//! The sessions used for watches.
//!
//! INVARIANT: no session has more than [`MOST_WATCHES`] watches, or more than [`MOST_BYTES`] of watched paths. After a
//! lost connection, the client sends all of a session's watches to ZooKeeper again, in requests of 128 KiB of paths,
//! and ends the connection when it gets a second answer to them. With two such requests it would never be connected
//! again.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::runtime::Handle;

use super::session::{Session, Settings};

const MOST_WATCHES: usize = 1_000;
const MOST_BYTES: usize = 100 * 1024;

/// How long a session without watches stays open.
const IDLE: Duration = Duration::from_secs(30);

pub(super) struct Pool {
    settings: Arc<Settings>,
    sessions: Sessions,
    runtime: Handle,
}

type Sessions = Arc<Mutex<Vec<Watching>>>;

struct Watching {
    session: Session,
    watches: usize,
    bytes: usize,
    // Whether it is also used for everything else.
    stays: bool,
    number: u64,
    // How many times it was taken into use. Detects an idle period that is not the latest.
    used: u64,
}

/// The right to one watch in a session.
pub(super) struct Lease {
    pub(super) session: Session,
    sessions: Sessions,
    runtime: Handle,
    number: u64,
    bytes: usize,
}

fn lock(sessions: &Sessions) -> MutexGuard<'_, Vec<Watching>> {
    sessions.lock().expect("INVARIANT: nothing panics while it holds the sessions")
}

impl Pool {
    /// A pool of `first`, and of more sessions as they are needed.
    pub(super) fn new(settings: Arc<Settings>, first: Session) -> Self {
        let first = Watching { session: first, watches: 0, bytes: 0, stays: true, number: 0, used: 0 };
        Self { settings, sessions: Arc::new(Mutex::new(vec![first])), runtime: Handle::current() }
    }

    /// All open sessions.
    pub(super) fn sessions(&self) -> Vec<Session> {
        lock(&self.sessions).iter().map(|watching| watching.session.clone()).collect()
    }

    /// A session that can take a watch of `path`.
    pub(super) fn lease(&self, path: &str) -> Lease {
        let bytes = path.len();
        let mut sessions = lock(&self.sessions);
        let room = |watching: &Watching| watching.watches < MOST_WATCHES && watching.bytes + bytes <= MOST_BYTES;
        let at = sessions.iter().position(room).unwrap_or_else(|| {
            let number = sessions.iter().map(|watching| watching.number + 1).max().unwrap_or_default();
            let session = Session::open(Arc::clone(&self.settings));
            sessions.push(Watching { session, watches: 0, bytes: 0, stays: false, number, used: 0 });
            sessions.len() - 1
        });
        let watching = &mut sessions[at];
        watching.watches += 1;
        watching.bytes += bytes;
        watching.used += 1;
        Lease {
            session: watching.session.clone(),
            sessions: Arc::clone(&self.sessions),
            runtime: self.runtime.clone(),
            number: watching.number,
            bytes,
        }
    }
}

impl Lease {
    /// Whether its session is also used for everything else.
    pub(super) fn is_of_first(&self) -> bool {
        self.number == 0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut sessions = lock(&self.sessions);
        let Some(watching) = sessions.iter_mut().find(|watching| watching.number == self.number) else { return };
        watching.watches -= 1;
        watching.bytes -= self.bytes;
        if watching.watches > 0 || watching.stays {
            return;
        }
        let (number, used) = (self.number, watching.used);
        let sessions = Arc::downgrade(&self.sessions);
        self.runtime.spawn(async move {
            tokio::time::sleep(IDLE).await;
            if let Some(sessions) = sessions.upgrade() {
                lock(&sessions).retain(|watching| watching.number != number || watching.used != used);
            }
        });
    }
}
