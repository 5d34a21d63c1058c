//! Combines concurrent operations into one request: reads with reads, and conditional writes with conditional writes.
//!
//! ZooKeeper answers requests one at a time, and each has a cost there. So ten thousand agents that need five nodes
//! each should not send fifty thousand requests. This makes no caller wait longer: a request is sent as soon as all
//! tasks that are ready have run.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join, join_all};
use tokio::sync::oneshot;
use zookeeper_client::{Client, Error, MultiReadResult, MultiWriteError, MultiWriteResult};

use super::session::Session;
use super::{node, version};
use crate::store::{Node, Version};

/// The maximum number of nodes in one request.
const MOST: usize = 128;

/// The maximum number of bytes that one request writes.
const MOST_BYTES: usize = 500_000;

/// The result of a write that was combined with others.
#[derive(Debug)]
pub(super) enum Written {
    /// It was carried out, and the node now has this version.
    Done(Version),
    /// It was carried out on another node than the intended one.
    Other,
    /// It was not carried out, because of this write or another one. It must be retried alone.
    Not,
    /// It is unknown whether it was carried out.
    Doubtful,
}

/// Combines operations. Cheap to clone.
#[derive(Clone)]
pub(super) struct Gather {
    session: Session,
    queue: Arc<Mutex<Queue>>,
    // The session whose member of the ensemble has everything that was returned here. A member may lag behind the
    // others. A connection never goes back behind what it has returned, but a new session may begin with a member that
    // lags behind, and so may another session of the pool.
    level: Arc<AtomicI64>,
}

/// How recent the result of a read must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    /// At least as recent as anything reported before.
    Anybody,
    /// At least as recent as anything that was returned or done here.
    Here,
}

#[derive(Default)]
struct Queue {
    reads: Vec<Read>,
    sets: Vec<Set>,
    is_leaving: bool,
}

struct Read {
    path: String,
    since: Since,
    answer: oneshot::Sender<Result<Option<Node>, Error>>,
}

struct Set {
    path: String,
    data: Vec<u8>,
    expected: Version,
    began: i64,
    answer: oneshot::Sender<Written>,
}

impl Gather {
    pub(super) fn new(session: Session) -> Self {
        Self { session, queue: Arc::default(), level: Arc::default() }
    }

    /// Records that a session other than the reading one has returned something here.
    pub(super) fn answered_elsewhere(&self) {
        self.level.store(0, Ordering::Release);
    }

    /// Reads the node at `path`.
    ///
    /// # Errors
    /// ZooKeeper's error, or [`Error::ConnectionLoss`] if it does not respond.
    pub(super) async fn get(&self, path: &str, since: Since) -> Result<Option<Node>, Error> {
        let (answer, answered) = oneshot::channel();
        self.enter(|queue| queue.reads.push(Read { path: path.to_owned(), since, answer }));
        answered.await.unwrap_or(Err(Error::ConnectionLoss))
    }

    /// Replaces the data of the node at `path`, if it has the `expected` version and the session is still the one with
    /// the number `began`.
    pub(super) async fn set(&self, path: &str, data: &[u8], expected: Version, began: i64) -> Written {
        let (answer, answered) = oneshot::channel();
        let set = Set { path: path.to_owned(), data: data.to_vec(), expected, began, answer };
        self.enter(|queue| queue.sets.push(set));
        answered.await.unwrap_or(Written::Doubtful)
    }

    fn locked(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("INVARIANT: nothing panics while it holds the queue")
    }

    fn enter(&self, add: impl FnOnce(&mut Queue)) {
        let mut queue = self.locked();
        add(&mut queue);
        if !std::mem::replace(&mut queue.is_leaving, true) {
            tokio::spawn(self.clone().leave());
        }
    }

    /// Sends all waiting operations once all other tasks that are ready have run.
    async fn leave(self) {
        tokio::task::yield_now().await;
        let (reads, sets) = {
            let mut queue = self.locked();
            queue.is_leaving = false;
            (std::mem::take(&mut queue.reads), std::mem::take(&mut queue.sets))
        };
        let Ok(client) = self.session.client().await else {
            // A caller that retries alone gets the reason.
            return sets.into_iter().for_each(|set| drop(set.answer.send(Written::Not)));
        };
        // Callers without a response notice that their channel is dropped.
        client.answer(join(self.read(&client, reads), write(&client, sets))).await;
    }

    async fn read(&self, client: &Client, reads: Vec<Read>) {
        let Some(first) = reads.first() else { return };
        let id = client.session_id().0;
        let lags = self.level.load(Ordering::Acquire) != id || reads.iter().any(|read| read.since == Since::Anybody);
        // First lets the member that answers catch up with the others, without waiting for that separately.
        let caught_up = lags.then(|| client.sync(&first.path));
        let (mut asked, mut reads) = (Vec::new(), reads.into_iter().peekable());
        while reads.peek().is_some() {
            asked.push(read(client, reads.by_ref().take(MOST).collect()));
        }
        let caught_up = async {
            // If it fails because of the connection, so does everything after it.
            if let Some(caught_up) = caught_up
                && caught_up.await.is_ok()
            {
                self.level.store(id, Ordering::Release);
            }
        };
        join(caught_up, join_all(asked)).await;
    }
}

/// Reads these nodes with one request, and responds.
fn read(client: &Client, mut reads: Vec<Read>) -> BoxFuture<'_, ()> {
    if let [_] = *reads
        && let Some(read) = reads.pop()
    {
        let found = client.get_data(&read.path);
        return async move {
            let found = found.await.map(|(data, stat)| node(data, &stat));
            let _ = read.answer.send(or_none(found));
        }
        .boxed();
    }
    let mut reader = client.new_multi_reader();
    let add = |read: Read| match reader.add_get_data(&read.path) {
        Ok(()) => Some(read),
        Err(error) => {
            let _ = read.answer.send(Err(error));
            None
        }
    };
    let reads: Vec<Read> = reads.into_iter().filter_map(add).collect();
    let found = reader.commit();
    async move {
        match found.await {
            Ok(results) => reads.into_iter().zip(results).for_each(|(read, result)| {
                let found = match result {
                    MultiReadResult::Data { data, stat } => Ok(node(data, &stat)),
                    MultiReadResult::Error { err } => Err(err),
                    _ => Err(Error::ConnectionLoss),
                };
                let _ = read.answer.send(or_none(found));
            }),
            Err(error) => reads.into_iter().for_each(|read| drop(read.answer.send(Err(error.clone())))),
        }
    }
    .boxed()
}

fn or_none(found: Result<Node, Error>) -> Result<Option<Node>, Error> {
    match found {
        Ok(node) => Ok(Some(node)),
        Err(Error::NoNode) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes everything, in as few requests as possible.
async fn write(client: &Client, sets: Vec<Set>) {
    let session = client.session_id().0;
    let (sets, of_before): (Vec<Set>, Vec<Set>) = sets.into_iter().partition(|set| set.began == session);
    of_before.into_iter().for_each(|set| drop(set.answer.send(Written::Not)));
    let mut sets = sets.into_iter().peekable();
    while sets.peek().is_some() {
        let (mut some, mut bytes) = (Vec::new(), 0);
        while let Some(set) =
            sets.next_if(|set| some.is_empty() || (some.len() < MOST && bytes + set.data.len() <= MOST_BYTES))
        {
            bytes += set.data.len();
            some.push(set);
        }
        write_some(client, some).await;
    }
}

async fn write_some(client: &Client, sets: Vec<Set>) {
    let all = |sets: Vec<Set>, written: fn() -> Written| {
        sets.into_iter().for_each(|set| drop(set.answer.send(written())));
    };
    if sets.len() == 1 {
        return all(sets, || Written::Not);
    }
    let mut writer = client.new_multi_writer();
    let added = sets.iter().try_for_each(|set| writer.add_set_data(&set.path, &set.data, Some(set.expected.count)));
    if added.is_err() {
        return all(sets, || Written::Not);
    }
    match writer.commit().await {
        Ok(results) => {
            for (set, result) in sets.into_iter().zip(results) {
                let written = match result {
                    // ZooKeeper compares how many times the data was set, which starts again for a node that was
                    // created again.
                    MultiWriteResult::SetData { stat } if stat.czxid > set.expected.transaction => Written::Other,
                    MultiWriteResult::SetData { stat } => Written::Done(version(&stat)),
                    _ => Written::Doubtful,
                };
                let _ = set.answer.send(written);
            }
        }
        Err(MultiWriteError::OperationFailed { .. }) => all(sets, || Written::Not),
        Err(MultiWriteError::RequestFailed { .. }) => all(sets, || Written::Doubtful),
    }
}
