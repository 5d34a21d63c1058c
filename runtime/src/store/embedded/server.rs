//! The server: one tree for all processes of this machine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::net::unix::OwnedReadHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

use super::super::tree::{Tell, Who};
use super::super::{Login, Node, Principal, StoreError};
use super::log::Token;
use super::outbox::Outbox;
use super::state::State;
use super::wire::{self, Greeting, Hello, Inbox, PROTOCOL, Reply, Request};
use super::{ServerError, socket};

/// A client that does not take what it asked for is not listened to until it does.
const MAX_UNSENT: usize = 16 << 20;

/// How long a client may take to say who it is.
const HELLO: Duration = Duration::from_secs(30);

/// A running server. When it is dropped, it ends.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
    socket: PathBuf,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    operator: Principal,
    // Connections for which something is to be sent.
    unsent: Mutex<Vec<Arc<Outbox>>>,
    cut: Notify,
    stop: Notify,
}

impl Server {
    /// Serves the tree that `log` remembers (an empty one, if there is no such file) to whoever connects to `socket`.
    /// `operator` has all rights. Folders that are missing are made for this user alone, as is the socket.
    ///
    /// What a client was told is done outlasts this process, however it ends. It outlasts the loss of power once
    /// [`Store::apply`](crate::store::Store::apply) has returned, with all that was done before, or after [`Server::stop`].
    ///
    /// # Errors
    /// When the log or the socket is in use, is damaged, or the file system does not allow it.
    pub async fn start(socket: &Path, log: &Path, operator: &Principal) -> Result<Self, ServerError> {
        make_folder(log)?;
        make_folder(socket)?;
        let (log, place) = (log.to_owned(), log.to_owned());
        let opening = tokio::task::spawn_blocking(move || State::open(&log));
        let state = opening.await.map_err(io::Error::other).map_err(ServerError::file("open", &place))??;
        let listener = bind(socket).await?;
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            operator: operator.clone(),
            unsent: Mutex::default(),
            cut: Notify::new(),
            stop: Notify::new(),
        });
        let accepting = tokio::spawn(accept(Arc::clone(&shared), listener));
        Ok(Self { shared, accepting, socket: socket.to_owned() })
    }

    /// Ends it, and waits until all is on the disk and others may have its log.
    ///
    /// # Errors
    /// When the log cannot be brought to the disk.
    pub async fn stop(mut self) -> io::Result<()> {
        let _ = std::fs::remove_file(&self.socket);
        self.shared.stop.notify_one();
        let _ = (&mut self.accepting).await;
        let file = self.shared.state().log_file();
        tokio::task::spawn_blocking(move || {
            file.sync_data()?;
            // An answer that waited for the disk may keep the file open a moment longer, but changes nothing any more.
            file.unlock()
        })
        .await?
    }

    /// Breaks all connections. Clients come back by themselves; what they hold is gone for a moment.
    pub fn disconnect_all(&self) {
        self.shared.cut.notify_waiters();
    }

    /// How many wait for a node to change.
    pub fn watching(&self) -> usize {
        self.shared.state().tree.watching()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.accepting.is_finished() {
            let _ = std::fs::remove_file(&self.socket);
            self.accepting.abort();
        }
    }
}

/// Makes the folder of `path` and those above it, for this user alone.
fn make_folder(path: &Path) -> Result<(), ServerError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(ServerError::file("make", folder))
}

/// A socket for this user alone, in place of one that a former server left.
async fn bind(path: &Path) -> Result<UnixListener, ServerError> {
    let fails = || ServerError::file("bind", path);
    let listener = match socket::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            match socket::connect(path).await {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                _ => return Err(ServerError::InUse { path: path.to_owned() }),
            }
            std::fs::remove_file(path).map_err(fails())?;
            socket::bind(path).map_err(fails())?
        }
        bound => bound.map_err(fails())?,
    };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(fails())?;
    Ok(listener)
}

async fn accept(shared: Arc<Shared>, listener: UnixListener) {
    // Whoever is in it ends when this does.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(Arc::clone(&shared), stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot take another connection to the data space");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = shared.stop.notified() => return connections.shutdown().await,
        }
    }
}

async fn serve(shared: Arc<Shared>, stream: UnixStream) {
    let cut = shared.cut.notified();
    let (mut reader, writer) = stream.into_split();
    let outbox = Arc::new(Outbox::new(writer));
    let mut inbox = Inbox::default();
    let served = async {
        let connection = greet(&shared, &outbox, &mut inbox, &mut reader).await?;
        let connection = Guard { shared: &shared, connection };
        listen(&connection, &mut inbox, &mut reader).await
    };
    let ended = tokio::select! {
        () = cut => Ok(()),
        ended = served => ended,
        ended = outbox.pump() => ended,
    };
    if let Err(error) = ended
        && error.kind() == io::ErrorKind::InvalidData
    {
        tracing::warn!(%error, "whoever connected to the data space is none of its clients");
    }
}

/// Learns who is there.
async fn greet(
    shared: &Shared,
    outbox: &Arc<Outbox>,
    inbox: &mut Inbox,
    reader: &mut OwnedReadHalf,
) -> io::Result<Arc<Connection>> {
    let hello = async {
        loop {
            if let Some(frame) = inbox.next()? {
                let protocol = wire::protocol_of(frame)?;
                return Ok::<_, io::Error>(match wire::parse::<Hello>(frame) {
                    Ok(hello) if protocol == PROTOCOL => Ok(hello),
                    Err(error) if protocol == PROTOCOL => return Err(error),
                    _ => Err(format!("it speaks version {PROTOCOL} of the protocol, this program version {protocol}")),
                });
            }
            inbox.fill(reader).await?;
        }
    };
    let hello = tokio::time::timeout(HELLO, hello).await??;
    let greeting = hello.and_then(|hello| Ok((shared.admit(&hello.logins)?, hello.client)));
    match greeting {
        Ok((who, client)) => {
            outbox.send(&wire::frame(&Greeting::Welcome));
            let (watches, holds) = Default::default();
            Ok(Arc::new(Connection { outbox: Arc::clone(outbox), who, client, watches, holds }))
        }
        Err(reason) => {
            outbox.send(&wire::frame(&Greeting::Refused(reason)));
            // Room for the answer to be read, and no more.
            let _ = tokio::time::timeout(HELLO, inbox.fill(reader)).await;
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
}

async fn listen(connection: &Guard<'_>, inbox: &mut Inbox, reader: &mut OwnedReadHalf) -> io::Result<()> {
    loop {
        while let Some(frame) = inbox.next()? {
            let (id, request) = wire::parse(frame)?;
            connection.shared.handle(&connection.connection, id, request);
        }
        connection.shared.flush();
        connection.connection.outbox.drained(MAX_UNSENT).await;
        inbox.fill(reader).await?;
    }
}

/// A client that is logged in.
#[derive(Debug)]
struct Connection {
    outbox: Arc<Outbox>,
    who: Who,
    client: u64,
    // Of requests that go on: their paths, and what the tree calls them.
    watches: Mutex<HashMap<u64, (String, u64)>>,
    holds: Mutex<HashMap<u64, (String, u64)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("INVARIANT: nothing panics while it holds a lock of the server")
}

/// Leaves nothing of a connection behind.
struct Guard<'a> {
    shared: &'a Arc<Shared>,
    connection: Arc<Connection>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state();
            for (path, watch) in std::mem::take(&mut *lock(&self.connection.watches)).into_values() {
                state.tree.unwatch(&path, watch);
            }
            for (path, holder) in std::mem::take(&mut *lock(&self.connection.holds)).into_values() {
                state.tree.release(&path, holder);
            }
        }
        self.shared.flush();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// As whom one with these logins asks, or why not at all.
    fn admit(&self, logins: &[Login]) -> Result<Who, String> {
        let name = self.operator.as_str().split_once(':').map(|(name, _)| name);
        let mut who = Who::new(logins);
        for login in logins {
            if login.principal() == self.operator {
                who = Who::Operator;
            } else if Some(&*login.name) == name {
                return Err(format!("it has another password for `{}`", login.name));
            }
        }
        Ok(who)
    }

    /// Adds an answer to what is to be sent.
    fn reply(&self, outbox: &Arc<Outbox>, id: u64, reply: &Reply<'_>) {
        if outbox.push(&(id, reply)) {
            lock(&self.unsent).push(Arc::clone(outbox));
        }
    }

    /// Sends what is to be sent.
    fn flush(&self) {
        let unsent = std::mem::take(&mut *lock(&self.unsent));
        for outbox in unsent {
            outbox.flush();
        }
    }

    fn handle(self: &Arc<Self>, connection: &Arc<Connection>, id: u64, request: Request<'static>) {
        let by = Token { client: connection.client, request: id };
        let who = &connection.who;
        let mut state = self.state();
        let outcome = match request {
            Request::Get { path } => state.tree.get(who, &path).map(node_reply).map(|reply| {
                self.reply(&connection.outbox, id, &reply);
                None
            }),
            Request::Changed { path, seen } => {
                if let Some(watch) = state.tree.watch(who, &path, seen, self.tell(connection, id)) {
                    lock(&connection.watches).insert(id, (path.into_owned(), watch));
                }
                Ok(None)
            }
            Request::Children { path } => state.tree.children(who, &path).map(|names| Some(Reply::Names(names))),
            Request::Set { path, data, expected } => {
                let op = super::super::Op::Set { path: path.into_owned(), data: data.into_owned(), expected };
                state.change(who, by, vec![op]).map(|version| Some(Reply::Written(version)))
            }
            Request::Apply { ops, sync } => match state.change(who, by, ops.into_owned()) {
                Ok(_) if sync => {
                    self.sync(&state, connection, id);
                    Ok(None)
                }
                done => done.map(|_| Some(Reply::Done)),
            },
            Request::Protect { path, access } => {
                state.protect(who, by, &path, access.into_owned()).map(|()| Some(Reply::Done))
            }
            Request::Hold { path, data, access } => {
                let held = state.hold(who, by, &path, data.into_owned(), access.into_owned());
                held.map(|holder| {
                    lock(&connection.holds).insert(id, (path.into_owned(), holder));
                    Some(Reply::Done)
                })
            }
            Request::Cancel => {
                if let Some((path, watch)) = lock(&connection.watches).remove(&id) {
                    state.tree.unwatch(&path, watch);
                }
                let held = lock(&connection.holds).remove(&id);
                if let Some((path, holder)) = held {
                    state.tree.release(&path, holder);
                }
                Ok(None)
            }
        };
        let reply = outcome.unwrap_or_else(|error| Some(Reply::Failed(error.into())));
        if let Some(reply) = reply {
            self.reply(&connection.outbox, id, &reply);
        }
    }

    /// What answers a request to wait for a change.
    fn tell(self: &Arc<Self>, connection: &Arc<Connection>, id: u64) -> Tell {
        let (shared, connection) = (Arc::clone(self), Arc::clone(connection));
        Box::new(move |node: Result<Option<&Node>, StoreError>| {
            lock(&connection.watches).remove(&id);
            let reply = node.map_or_else(|error| Reply::Failed(error.into()), node_reply);
            shared.reply(&connection.outbox, id, &reply);
        })
    }

    /// Answers a request once all that was logged until now is on the disk.
    fn sync(self: &Arc<Self>, state: &State, connection: &Connection, id: u64) {
        let (shared, outbox, file) = (Arc::clone(self), Arc::clone(&connection.outbox), state.log_file());
        tokio::spawn(async move {
            let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
            let reply = match synced.map_err(io::Error::other).flatten() {
                Ok(()) => Reply::Done,
                Err(error) => Reply::Failed(wire::Fault::Unusable {
                    reason: format!("its log cannot be brought to the disk: {error}"),
                }),
            };
            shared.reply(&outbox, id, &reply);
            shared.flush();
        });
    }
}

fn node_reply(node: Option<&Node>) -> Reply<'_> {
    Reply::Node(node.map(Cow::Borrowed))
}
