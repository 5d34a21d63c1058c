//! What is asked at the same time goes in one request: reads together, and conditional writes together.
//!
//! ZooKeeper answers a request after the other, and each has its price there, so ten thousand agents that ask for five nodes
//! each should not ask fifty thousand times. Whoever asks waits no longer for that: a request leaves as soon as all
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

/// Most nodes of one request.
const MOST: usize = 128;

/// Most bytes that are written by one request.
const MOST_BYTES: usize = 500_000;

/// What became of a write that was asked for together with others.
#[derive(Debug)]
pub(super) enum Written {
    /// It is done, and this is what the node has then.
    Done(Version),
    /// It is done, but to another node than was meant.
    Other,
    /// It was not done, because of this write or of another one: it is to be tried alone.
    Not,
    /// Nobody knows whether it was done.
    Doubtful,
}

/// What is asked together. Cheap to clone.
#[derive(Clone)]
pub(super) struct Gather {
    session: Session,
    queue: Arc<Mutex<Queue>>,
    // One member may lag behind the others. The session whose member knows all that anybody was told here: a connection never goes back behind what it was told,
    // but a new session may begin with a member that lags behind, and so may another session of the pool.
    level: Arc<AtomicI64>,
}

/// How new what is read must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    /// As new as anything that anybody was told before.
    Anybody,
    /// As new as anything that was told or done here.
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

    /// Something was told here by another session than the one that reads.
    pub(super) fn told_elsewhere(&self) {
        self.level.store(0, Ordering::Release);
    }

    /// The node at `path`.
    ///
    /// # Errors
    /// What ZooKeeper says, or [`Error::ConnectionLoss`] when it says nothing.
    pub(super) async fn get(&self, path: &str, since: Since) -> Result<Option<Node>, Error> {
        let (answer, answered) = oneshot::channel();
        self.enter(|queue| queue.reads.push(Read { path: path.to_owned(), since, answer }));
        answered.await.unwrap_or(Err(Error::ConnectionLoss))
    }

    /// Replaces the data of the node at `path`, if its version is the `expected` one and it is still the session in which
    /// that `began`.
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

    /// Asks for all that there is to be asked for once all others have run that could.
    async fn leave(self) {
        tokio::task::yield_now().await;
        let (reads, sets) = {
            let mut queue = self.locked();
            queue.is_leaving = false;
            (std::mem::take(&mut queue.reads), std::mem::take(&mut queue.sets))
        };
        let Ok(client) = self.session.client().await else {
            // Whoever asks alone is told why.
            return sets.into_iter().for_each(|set| drop(set.answer.send(Written::Not)));
        };
        // Whoever is not answered is told so by what is dropped.
        client.answer(join(self.read(&client, reads), write(&client, sets))).await;
    }

    async fn read(&self, client: &Client, reads: Vec<Read>) {
        let Some(first) = reads.first() else { return };
        let id = client.session_id().0;
        let lags = self.level.load(Ordering::Acquire) != id || reads.iter().any(|read| read.since == Since::Anybody);
        // The member that answers catches up with the others before, and nobody waits for that alone.
        let caught_up = lags.then(|| client.sync(&first.path));
        let (mut asked, mut reads) = (Vec::new(), reads.into_iter().peekable());
        while reads.peek().is_some() {
            asked.push(read(client, reads.by_ref().take(MOST).collect()));
        }
        let caught_up = async {
            // When it fails with the connection, so does what comes after it.
            if let Some(caught_up) = caught_up
                && caught_up.await.is_ok()
            {
                self.level.store(id, Ordering::Release);
            }
        };
        join(caught_up, join_all(asked)).await;
    }
}

/// Asks for these nodes, at once, and answers.
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

/// Writes all of it, in as few requests as there is room.
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
                    // ZooKeeper compares how often the data was set, which a node that was made anew counts anew.
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
