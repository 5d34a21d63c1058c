//! State shared by all parts of one agent.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time;
use wattle::model::Name;
use wattle_agent_core::machine::Event;
use wattle_agent_core::status::ServerStatus;

use crate::clock;
use crate::recipe::Runner;
use crate::space::{Space, SpaceError, Status, writer_of};
use crate::store::StoreError;

use super::Attributes;
use super::admission::{self, Admission};
use super::disk::Disk;
use super::logs::Asked;
use super::publisher::Publisher;
use super::recent::Recent;
use super::seen::Seen;
use super::signals::Kept;
use super::socket::Runs;
use super::touch::Touch;

/// How long to wait before retrying after an obstacle elsewhere: a full disk, a store that refuses.
pub(super) const AGAIN: Duration = Duration::from_secs(5);

/// Messages from the parts of an agent to the driver.
#[derive(Debug)]
pub(super) enum Message {
    /// An event for the machine.
    Event(Event),
    /// A request for the state of everything.
    Look(oneshot::Sender<Snapshot>),
}

/// The state of everything on a server.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) server: ServerStatus,
    pub(super) components: Vec<(Name, Status)>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) space: Space,
    pub(super) server: Name,
    pub(super) admission: Admission,
    pub(super) runner: Arc<dyn Runner>,
    pub(super) state: PathBuf,
    pub(super) attributes: Arc<dyn Attributes>,
    pub(super) publisher: Publisher,
    pub(super) runs: Runs,
    pub(super) signals: Kept,
    pub(super) asked: Asked,
    pub(super) recent: Arc<Recent>,
    pub(super) socket: PathBuf,
    pub(super) touch: Touch,
    pub(super) seen: Seen,
    pub(super) disk: Disk,
    /// Held while recipe files are being fetched.
    pub(super) fetching: tokio::sync::Mutex<()>,
    pub(super) messages: mpsc::UnboundedSender<Message>,
}

/// The message of a server that does not know which key to trust, and whose own signatures cannot be verified.
pub(super) const UNPROVEN: &str = "this server's credential is from before anything was signed: anyone who can write \
                                   to the data space can control it, and replace what it publishes, until `wattle seed \
                                   apply --renew` and `openstack stack update` replace it";

impl Shared {
    /// Reports, forever, contents that claim to be from other servers and are not.
    pub(super) async fn report_disowned(&self) {
        let mut disowned = self.space.disowned();
        while disowned.changed().await.is_ok() {
            let text = {
                let disowned = disowned.borrow_and_update();
                let more = match disowned.len() {
                    0 | 1 => String::new(),
                    all => format!(", and {} more are not", all - 1),
                };
                let own = format!("{}/", self.space.layout().root());
                disowned.first_key_value().map(|(path, why)| {
                    let writer = writer_of(path).map_or_else(String::new, |writer| {
                        format!("; apart from the operator, only `{writer}` can have written it")
                    });
                    let help = if path.starts_with(&own) {
                        "`wattle seed apply --restore` makes all servers publish again"
                    } else {
                        "if that stack's servers have new keys by now, `wattle seed apply` passes them on to this one's"
                    };
                    format!("`{path}` is not trusted: {why}{writer}{more}; {help}")
                })
            };
            self.trouble("what servers say", text);
        }
    }

    /// The status of the server as published.
    pub(super) fn shown(&self, status: ServerStatus) -> ServerStatus {
        let mut status = self.disk.shown(self.seen.dated(status));
        if self.admission.credential.authority().is_none() {
            status.troubles.push(UNPROVEN.to_owned());
        }
        status
    }

    /// Reads the server's status from before this agent acts for it.
    pub(super) async fn look_back(&self) {
        // It may have been signed with another key. It is enough that it exists.
        let before = match self.insist(|| self.space.said_of_server(&self.server)).await {
            Ok(before) => before,
            Err(error) => {
                tracing::debug!("what was reported about this server before cannot be read: {error}");
                return;
            }
        };
        if before.is_some_and(|before| self.disk.follows(&before, clock::now())) {
            tracing::warn!(
                "another agent has acted for this server, and this one's disk is empty: everything runs again"
            );
        }
    }

    /// Reports an event.
    pub(super) fn say(&self, event: Event) {
        // When the agent ends, the receiver is gone.
        let _ = self.messages.send(Message::Event(event));
    }

    /// Reports that something is wrong with the server, or no longer is.
    pub(super) fn trouble(&self, of: &str, what: Option<String>) {
        self.say(Event::Trouble(of.to_owned(), what));
    }

    /// The component's full name in the stack.
    pub(super) fn full(&self, component: &str) -> Name {
        format!("{}/{component}", self.server).into()
    }

    /// Repeats `work` on the disk until it succeeds.
    pub(super) async fn insist_io<T>(&self, what: &str, mut work: impl FnMut() -> io::Result<T>) -> T {
        let mut in_trouble = false;
        loop {
            match work() {
                Ok(done) => {
                    if in_trouble {
                        self.trouble(what, None);
                    }
                    return done;
                }
                Err(error) => {
                    in_trouble = true;
                    self.trouble(what, Some(unwritten(what, &error)));
                    time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Repeats a request until the data space responds: while it cannot be used at all, all one can do is wait. If
    /// permission is denied, the request is repeated with the identity that the server has gained since.
    pub(super) async fn insist<T, F>(&self, mut ask: impl FnMut() -> F) -> Result<T, SpaceError>
    where
        F: Future<Output = Result<T, SpaceError>>,
    {
        const TROUBLE: &str = "the data space";
        let mut in_trouble = false;
        loop {
            let joined = self.admission.joined();
            match ask().await {
                Err(SpaceError::Store(error @ StoreError::Unusable { .. })) => {
                    in_trouble = true;
                    self.trouble(TROUBLE, Some(format!("{error}; trying again")));
                    time::sleep(AGAIN).await;
                }
                answer => {
                    if in_trouble {
                        self.trouble(TROUBLE, None);
                        in_trouble = false;
                    }
                    let is_denied = matches!(&answer, Err(SpaceError::Store(StoreError::Denied { .. })));
                    if !is_denied {
                        return answer;
                    }
                    let joins = matches!(admission::join(self).await, Ok(true));
                    // Or another task has updated it in the meantime.
                    if !joins && self.admission.joined() == joined {
                        return answer;
                    }
                }
            }
        }
    }
}

/// The message why the server cannot continue.
pub(super) fn unwritten(what: &str, error: &io::Error) -> String {
    format!("cannot write {what}; trying again: {error}")
}
