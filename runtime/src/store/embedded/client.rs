//! The client side of the embedded store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::try_join_all;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;

use super::super::hold::Keeper;
use super::super::{Access, Hold, Login, Node, Op, Store, StoreError, Version, check_path};
use super::outbox::Outbox;
use super::socket;
use super::wire::{self, Greeting, Hello, Inbox, MAX_BATCH, PROTOCOL, Reply, Request};

/// The first and the longest pause between two attempts to connect. It doubles each time.
const RETRY: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));

/// The number of nodes whose rights are changed at a time.
const AT_ONCE: usize = 256;

/// A connection to the server of an embedded store. When the server goes away, the client waits for it to come back,
/// and repeats requests without responses. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Embedded {
    owner: Arc<Owner>,
}

/// Closes the connection when the last user is gone.
#[derive(Debug)]
struct Owner {
    link: Arc<Link>,
    keeper: AbortHandle,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

#[derive(Debug)]
struct Link {
    socket: PathBuf,
    // Stays the same across reconnects, so that the server recognizes a request that it carried out before.
    client: u64,
    logins: Mutex<Vec<Login>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last_id: u64,
    // Requests without a response, in the order in which they were made.
    pending: BTreeMap<u64, Pending>,
    // Granted requests to hold a node.
    held: BTreeMap<u64, Held>,
    // `None` while there is no connection.
    outbox: Option<Arc<Outbox>>,
    // Why there will never be a connection again.
    refused: Option<String>,
}

#[derive(Debug)]
struct Pending {
    frame: Vec<u8>,
    kind: RequestKind,
    answer: oneshot::Sender<Result<Reply<'static>, String>>,
}

#[derive(Debug)]
struct Held {
    frame: Vec<u8>,
    lost: Arc<Notify>,
}

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestKind {
    /// It is answered at once.
    Plain,
    /// It may be cancelled before it is answered.
    Wait,
    /// It continues after its answer, until it is cancelled.
    Hold,
}

impl Embedded {
    pub(super) async fn connect(socket: &Path, logins: &[Login]) -> Result<Self, StoreError> {
        let link = Arc::new(Link {
            socket: socket.to_owned(),
            client: getrandom::u64().map_err(|error| unusable(socket, error.to_string()))?,
            logins: Mutex::new(logins.to_vec()),
            state: Mutex::default(),
        });
        let connection = link.connect().await.map_err(|reason| unusable(socket, reason))?;
        let keeper = tokio::spawn(Arc::clone(&link).keep(connection)).abort_handle();
        Ok(Self { owner: Arc::new(Owner { link, keeper }) })
    }

    /// Sends a request, and waits for the response as long as it takes.
    async fn ask(&self, kind: RequestKind, request: &Request<'_>) -> Result<(Reply<'static>, Asked), StoreError> {
        let link = &self.owner.link;
        let (answer, answered) = oneshot::channel();
        let asked = {
            let mut state = link.state();
            if let Some(reason) = &state.refused {
                return Err(unusable(&link.socket, reason.clone()));
            }
            state.last_id += 1;
            let id = state.last_id;
            let frame = wire::frame(&(id, request));
            if let Some(outbox) = &state.outbox {
                outbox.send(&frame);
            }
            state.pending.insert(id, Pending { frame, kind, answer });
            Asked { owner: Arc::clone(&self.owner), id }
        };
        let reply = answered.await.map_err(|_| unusable(&link.socket, "this program is about to end".to_owned()))?;
        match reply.map_err(|reason| unusable(&link.socket, reason))? {
            Reply::Failed(fault) => Err(fault.at(&link.address())),
            reply => Ok((reply, asked)),
        }
    }

    async fn protect_one(&self, (path, access): &(String, Access), checks: &[Op]) -> Result<(), StoreError> {
        check_path(path)?;
        let (access, checks) = (Cow::Borrowed(access), Cow::Borrowed(checks));
        match self.ask(RequestKind::Plain, &Request::Protect { path: path.into(), access, checks }).await {
            Ok((Reply::Done, _)) => Ok(()),
            Ok((reply, _)) => self.odd(&reply),
            Err(error) => StoreError::unless_missing(path, Err(error)),
        }
    }

    fn odd<T>(&self, reply: &Reply<'_>) -> Result<T, StoreError> {
        Err(unusable(&self.owner.link.socket, format!("it sent an unexpected reply: {reply:?}")))
    }
}

fn unusable(socket: &Path, reason: String) -> StoreError {
    StoreError::Unusable { address: format!("unix:{}", socket.display()), reason }
}

/// A request. Dropping it cancels it.
#[derive(Debug)]
struct Asked {
    owner: Arc<Owner>,
    id: u64,
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut state = self.owner.link.state();
        let pending = state.pending.remove(&self.id).is_some_and(|pending| pending.kind != RequestKind::Plain);
        let held = state.held.remove(&self.id).is_some();
        if (pending || held)
            && let Some(outbox) = &state.outbox
        {
            outbox.send(&wire::frame(&(self.id, Request::Cancel)));
        }
    }
}

impl Asked {
    /// Waits until the held node is lost.
    async fn lost(&self) {
        let lost = self.owner.link.state().held.get(&self.id).map(|held| Arc::clone(&held.lost));
        if let Some(lost) = lost {
            lost.notified().await;
        }
    }
}

impl Link {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds a client's state")
    }

    fn logins(&self) -> MutexGuard<'_, Vec<Login>> {
        self.logins.lock().expect("INVARIANT: nothing panics while it holds logins")
    }

    fn address(&self) -> String {
        format!("unix:{}", self.socket.display())
    }

    /// Connects and logs in, and retries until it succeeds. Returns an error if it never will.
    async fn connect(&self) -> Result<Connection, String> {
        let mut pause = RETRY.0;
        let mut warned = false;
        loop {
            let error = match self.try_connect().await {
                Ok(connected) => return connected,
                Err(error) => error,
            };
            match error.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidData => {
                    return Err(error.to_string());
                }
                _ => {}
            }
            if pause >= RETRY.1 && !warned {
                warned = true;
                tracing::info!(address = self.address(), %error, "waiting for the data space");
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(RETRY.1);
        }
    }

    async fn try_connect(&self) -> io::Result<Result<Connection, String>> {
        let (mut reader, writer) = socket::connect(&self.socket).await?.into_split();
        let outbox = Outbox::new(writer);
        let hello = Hello { protocol: PROTOCOL, client: self.client, logins: self.logins().clone() };
        outbox.send(&wire::frame(&hello));
        let mut inbox = Inbox::default();
        let greeting = tokio::select! {
            greeting = inbox.receive(&mut reader) => greeting?,
            ended = outbox.pump() => return Err(ended.err().unwrap_or(io::ErrorKind::BrokenPipe.into())),
        };
        Ok(match greeting {
            Greeting::Welcome => Ok(Connection { reader, inbox, outbox: Arc::new(outbox) }),
            Greeting::Refused(reason) => Err(reason),
        })
    }

    /// Keeps the connection up.
    async fn keep(self: Arc<Self>, mut connection: Connection) {
        loop {
            self.resume(&connection.outbox);
            let Connection { reader, inbox, outbox } = &mut connection;
            let ended = tokio::select! {
                ended = self.listen(inbox, reader) => ended,
                ended = outbox.pump() => ended,
            };
            self.state().outbox = None;
            if let Err(error) = ended {
                tracing::debug!(address = self.address(), %error, "the connection to the data space is lost");
            }
            match self.connect().await {
                Ok(again) => connection = again,
                Err(reason) => return self.give_up(&reason),
            }
        }
    }

    /// Sends everything that the server has to know.
    fn resume(&self, outbox: &Arc<Outbox>) {
        let mut state = self.state();
        for held in state.held.values() {
            outbox.push_frame(&held.frame);
        }
        for pending in state.pending.values() {
            outbox.push_frame(&pending.frame);
        }
        outbox.flush();
        state.outbox = Some(Arc::clone(outbox));
    }

    async fn listen(&self, inbox: &mut Inbox, reader: &mut OwnedReadHalf) -> io::Result<()> {
        loop {
            inbox.fill(reader).await?;
            let mut state = self.state();
            while let Some(frame) = inbox.next()? {
                let (id, reply) = wire::parse::<(u64, Reply<'static>)>(frame)?;
                let Some(pending) = state.pending.remove(&id) else {
                    if matches!(reply, Reply::Failed(_) | Reply::Lost)
                        && let Some(held) = state.held.get(&id)
                    {
                        held.lost.notify_one();
                    }
                    continue;
                };
                if pending.kind == RequestKind::Hold && matches!(reply, Reply::Done) {
                    state.held.insert(id, Held { frame: pending.frame, lost: Arc::default() });
                }
                // The caller may have gone in the meantime. Its `Asked` is then about to notify the server.
                let _ = pending.answer.send(Ok(reply));
            }
        }
    }

    fn give_up(&self, reason: &str) {
        let pending = {
            let mut state = self.state();
            state.refused = Some(reason.to_owned());
            for held in std::mem::take(&mut state.held).into_values() {
                held.lost.notify_one();
            }
            std::mem::take(&mut state.pending)
        };
        for pending in pending.into_values() {
            let _ = pending.answer.send(Err(reason.to_owned()));
        }
    }
}

#[derive(Debug)]
struct Connection {
    reader: OwnedReadHalf,
    inbox: Inbox,
    outbox: Arc<Outbox>,
}

/// A node to hold.
struct ToHold {
    store: Embedded,
    path: String,
    data: Vec<u8>,
    access: Access,
}

impl ToHold {
    async fn ask(&self, over: Option<Version>) -> Result<Asked, StoreError> {
        let Self { store, path, data, access } = self;
        let request = Request::Hold { path: path.into(), data: data.into(), access: Cow::Borrowed(access), over };
        let (reply, asked) = store.ask(RequestKind::Hold, &request).await?;
        if matches!(reply, Reply::Done) { Ok(asked) } else { store.odd(&reply) }
    }

    async fn keep(self, mut asked: Asked, mut keeper: Keeper) {
        loop {
            tokio::select! {
                biased;
                () = keeper.released() => break,
                () = asked.lost() => {}
            }
            drop(asked);
            let again = tokio::select! {
                biased;
                () = keeper.released() => return,
                again = self.ask(None) => again,
            };
            match again {
                Ok(again) => {
                    asked = again;
                    keeper.again();
                }
                Err(error) => {
                    tracing::warn!(%error, "what was held in the data space is lost");
                    return keeper.lose();
                }
            }
        }
        drop(asked);
        // Any response means that the server has processed what was sent before it.
        let _ = self.store.get(&self.path).await;
    }
}

#[async_trait]
impl Store for Embedded {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        check_path(path)?;
        match self.ask(RequestKind::Plain, &Request::Get { path: path.into() }).await?.0 {
            Reply::Node(node) => Ok(node.map(Cow::into_owned)),
            reply => self.odd(&reply),
        }
    }

    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        check_path(path)?;
        match self.ask(RequestKind::Wait, &Request::Changed { path: path.into(), seen }).await?.0 {
            Reply::Node(node) => Ok(node.map(Cow::into_owned)),
            reply => self.odd(&reply),
        }
    }

    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        check_path(path)?;
        StoreError::check_size(path, data)?;
        match self.ask(RequestKind::Plain, &Request::Set { path: path.into(), data: data.into(), expected }).await?.0 {
            Reply::Written(version) => Ok(version),
            reply => self.odd(&reply),
        }
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        check_path(path)?;
        match self.ask(RequestKind::Plain, &Request::Children { path: path.into() }).await?.0 {
            Reply::Names(names) => Ok(names),
            reply => self.odd(&reply),
        }
    }

    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        let (checks, mut ops) = Op::conditions(&ops);
        while !ops.is_empty() {
            let mut bytes = checks.iter().map(Op::size).sum::<usize>();
            let more = ops.iter().take_while(|op| {
                bytes += op.size();
                bytes <= MAX_BATCH
            });
            let (batch, rest) = ops.split_at(more.count().max(1));
            for op in batch {
                check_path(op.path())?;
                if let Op::Create { path, data, .. } | Op::Set { path, data, .. } = op {
                    StoreError::check_size(path, data)?;
                }
            }
            let ops_of_batch = if checks.is_empty() { batch.into() } else { [checks, batch].concat().into() };
            let request = Request::Apply { ops: ops_of_batch, sync: rest.is_empty() };
            match self.ask(RequestKind::Plain, &request).await?.0 {
                Reply::Done => ops = rest,
                reply => return self.odd(&reply),
            }
        }
        Ok(())
    }

    async fn protect(&self, accesses: &[(String, Access)], checks: &[Op]) -> Result<(), StoreError> {
        for some in accesses.chunks(AT_ONCE) {
            try_join_all(some.iter().map(|access| self.protect_one(access, checks))).await?;
        }
        Ok(())
    }

    async fn bound(&self, _places: &[String]) -> Result<bool, StoreError> {
        // The limit always applies.
        Ok(true)
    }

    async fn unbound(&self, _top: &str) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError> {
        // After a reconnect, these logins are sent at once.
        self.owner.link.logins().extend_from_slice(logins);
        match self.ask(RequestKind::Plain, &Request::LogIn { logins: logins.into() }).await?.0 {
            Reply::Done => Ok(()),
            reply => self.odd(&reply),
        }
    }

    async fn hold(&self, path: &str, data: &[u8], access: &Access, over: Option<Version>) -> Result<Hold, StoreError> {
        check_path(path)?;
        StoreError::check_size(path, data)?;
        let node = ToHold { store: self.clone(), path: path.to_owned(), data: data.to_vec(), access: access.clone() };
        let asked = node.ask(over).await?;
        let (hold, keeper) = Hold::new();
        tokio::spawn(node.keep(asked, keeper));
        Ok(hold)
    }
}
