//! State shared by connections, and the handling of requests.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

use crate::store::embedded::log::Token;
use crate::store::embedded::outbox::Outbox;
use crate::store::embedded::state::State;
use crate::store::embedded::wire::{self, Reply, Request};
use crate::store::tree::{OnChange, Who};
use crate::store::{Login, Node, Op, Principal, StoreError};

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) operator: Principal,
    // Connections with data to send.
    pub(super) unsent: Mutex<Vec<Arc<Outbox>>>,
    pub(super) cut: Notify,
    pub(super) stop: Notify,
}

/// A client that is logged in.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) outbox: Arc<Outbox>,
    pub(super) who: Mutex<Who>,
    pub(super) client: u64,
    // The paths of continuing requests, and the tree's numbers for them.
    pub(super) watches: Mutex<HashMap<u64, (String, u64)>>,
    pub(super) holds: Mutex<HashMap<u64, Held>>,
}

/// A node that a client holds.
#[derive(Debug)]
pub(super) struct Held {
    path: String,
    holder: u64,
    // Notifies the client when the node is lost.
    watch: Option<u64>,
}

impl Held {
    pub(super) fn release(self, state: &mut State) {
        if let Some(watch) = self.watch {
            state.tree.unwatch(&self.path, watch);
        }
        state.release(&self.path, self.holder);
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("INVARIANT: nothing panics while it holds a lock of the server")
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The identity of a client with these logins, or why it is refused.
    pub(super) fn admit(&self, logins: &[Login]) -> Result<Who, String> {
        let name = self.operator.as_str().split_once(':').map(|(name, _)| name);
        let mut who = Who::new(logins);
        for login in logins {
            if login.principal() == self.operator {
                who = Who::Operator;
            } else if Some(&*login.name) == name {
                return Err(format!("it gives a different password for `{}`", login.name));
            }
        }
        Ok(who)
    }

    /// Adds a response to the data to send.
    fn reply(&self, outbox: &Arc<Outbox>, id: u64, reply: &Reply<'_>) {
        if outbox.push(&(id, reply)) {
            lock(&self.unsent).push(Arc::clone(outbox));
        }
    }

    /// Sends all data.
    pub(super) fn flush(&self) {
        let unsent = std::mem::take(&mut *lock(&self.unsent));
        for outbox in unsent {
            outbox.flush();
        }
    }

    pub(super) fn handle(self: &Arc<Self>, connection: &Arc<Connection>, id: u64, request: Request<'static>) {
        let by = Token { client: connection.client, request: id };
        let who = &lock(&connection.who).clone();
        let mut state = self.state();
        let outcome = match request {
            Request::Get { path } => state.tree.get(who, &path).map(node_reply).map(|reply| {
                self.reply(&connection.outbox, id, &reply);
                None
            }),
            Request::Changed { path, seen } => {
                if let Some(watch) = state.tree.watch(who, &path, seen, self.answer_on_change(connection, id)) {
                    lock(&connection.watches).insert(id, (path.into_owned(), watch));
                }
                Ok(None)
            }
            Request::Children { path } => state.tree.children(who, &path).map(|names| Some(Reply::Names(names))),
            Request::Set { path, data, expected } => {
                let op = Op::Set { path: path.into_owned(), data: data.into_owned(), expected };
                state.change(who, by, vec![op]).map(|version| Some(Reply::Written(version)))
            }
            Request::Apply { ops, sync } => match state.change(who, by, ops.into_owned()) {
                Ok(_) if sync => {
                    self.sync(&state, connection, id);
                    Ok(None)
                }
                done => done.map(|_| Some(Reply::Done)),
            },
            Request::Protect { path, access, checks } => {
                state.protect(who, by, &path, access.into_owned(), &checks).map(|()| Some(Reply::Done))
            }
            Request::Hold { path, data, access, over } => {
                let path = path.into_owned();
                let create = Op::Create { path: path.clone(), data: data.into_owned(), access: access.into_owned() };
                state.hold(who, by, create, over).map(|(holder, version)| {
                    let watch = state.tree.watch(&Who::Operator, &path, Some(version), self.lose(connection, id));
                    lock(&connection.holds).insert(id, Held { path, holder, watch });
                    Some(Reply::Done)
                })
            }
            Request::LogIn { logins } => {
                lock(&connection.who).add(&logins);
                Ok(Some(Reply::Done))
            }
            Request::Cancel => {
                if let Some((path, watch)) = lock(&connection.watches).remove(&id) {
                    state.tree.unwatch(&path, watch);
                }
                let held = lock(&connection.holds).remove(&id);
                if let Some(held) = held {
                    held.release(&mut state);
                }
                Ok(None)
            }
        };
        let reply = outcome.unwrap_or_else(|error| Some(Reply::Failed(error.into())));
        if let Some(reply) = reply {
            self.reply(&connection.outbox, id, &reply);
        }
    }

    /// Responds to a request that waits for a change.
    fn answer_on_change(self: &Arc<Self>, connection: &Arc<Connection>, id: u64) -> OnChange {
        let (shared, connection) = (Arc::clone(self), Arc::clone(connection));
        Box::new(move |node: Result<Option<&Node>, StoreError>| {
            lock(&connection.watches).remove(&id);
            let reply = node.map_or_else(|error| Reply::Failed(error.into()), node_reply);
            shared.reply(&connection.outbox, id, &reply);
        })
    }

    /// Reports that a node is no longer held.
    fn lose(self: &Arc<Self>, connection: &Connection, id: u64) -> OnChange {
        let (shared, outbox) = (Arc::clone(self), Arc::clone(&connection.outbox));
        Box::new(move |_| shared.reply(&outbox, id, &Reply::Lost))
    }

    /// Responds to a request once everything logged so far is on disk.
    fn sync(self: &Arc<Self>, state: &State, connection: &Connection, id: u64) {
        let (shared, outbox, file) = (Arc::clone(self), Arc::clone(&connection.outbox), state.log_file());
        tokio::spawn(async move {
            let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
            let reply = match synced.map_err(io::Error::other).flatten() {
                Ok(()) => Reply::Done,
                Err(error) => Reply::Failed(wire::Fault::Unusable {
                    reason: format!("its log cannot be written to disk: {error}"),
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
