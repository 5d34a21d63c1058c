//! A ZooKeeper with its guarantees and no more: writes are in one order, the responding member may lag behind, a
//! session never sees the past again, watches fire once and before later reads, and ephemeral nodes vanish with their
//! session.

use std::rc::Rc;

use wattle_agent_core::node::{Node, Version};

use crate::fnv::{Map, Set};

pub(crate) const MEMBERS: usize = 3;

/// The content of a node.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) data: Rc<[u8]>,
    pub(crate) made: i64,
    pub(crate) written: i64,
    pub(crate) count: i32,
    pub(crate) owner: Option<usize>,
}

impl Data {
    pub(crate) fn version(&self) -> Version {
        Version { transaction: self.written, count: self.count }
    }

    pub(crate) fn node(&self) -> Node {
        Node { data: self.data.to_vec(), version: self.version() }
    }
}

type Found = Option<Rc<Data>>;

/// One step of a write.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Create {
        path: String,
        data: Rc<[u8]>,
        ephemeral: bool,
    },
    Set {
        path: String,
        data: Rc<[u8]>,
        count: Option<i32>,
    },
    /// Changes nothing.
    Check {
        path: String,
        count: i32,
    },
    Delete {
        path: String,
        count: Option<i32>,
    },
    /// Everything below this path prefix.
    DeleteAll {
        prefix: String,
    },
}

/// A client's request.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Get { path: String, sync: bool },
    Watch { path: String },
    Write(Vec<Change>),
}

/// The response.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Node(Found),
    /// The transaction, and the one that created the first node that was set.
    Written(i64, i64),
    BadVersion,
    NoNode,
    Exists,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: usize,
    pub(crate) over: bool,
    pub(crate) member: Option<usize>,
    /// The last transaction that it has seen.
    pub(crate) seen: i64,
    watches: Map<String, i64>,
}

#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) last: i64,
    nodes: Map<String, Vec<(i64, Found)>>,
    changed: Vec<(i64, String)>,
    pub(crate) members: [i64; MEMBERS],
    pub(crate) sessions: Vec<Session>,
    /// The place of a server that was taken from a different holder than assumed.
    pub(crate) mistaken: Option<String>,
}

impl Store {
    pub(crate) fn open(&mut self, client: usize) -> usize {
        self.sessions.push(Session { client, over: false, member: None, seen: 0, watches: Map::default() });
        self.sessions.len() - 1
    }

    fn at(&self, path: &str, zxid: i64) -> Found {
        let history = self.nodes.get(path)?;
        history.iter().rev().find(|(at, _)| *at <= zxid)?.1.clone()
    }

    /// The state that everyone will see eventually.
    pub(crate) fn truth(&self, path: &str) -> Found {
        self.at(path, i64::MAX)
    }

    pub(crate) fn paths(&self, prefix: &str) -> Vec<String> {
        let is_there = |history: &Vec<(i64, Found)>| history.last().is_some_and(|(_, node)| node.is_some());
        let mut all: Vec<String> = self
            .nodes
            .iter()
            .filter(|(path, history)| path.starts_with(prefix) && is_there(history))
            .map(|(path, _)| path.clone())
            .collect();
        all.sort_unstable();
        all
    }

    fn put(&mut self, path: &str, node: Found) {
        let zxid = self.last;
        let history = self.nodes.entry(path.to_owned()).or_default();
        if history.last().is_some_and(|(at, _)| *at == zxid) {
            history.pop();
        }
        history.push((zxid, node));
        self.changed.push((zxid, path.to_owned()));
    }

    /// Carries out a write completely or not at all; returns the paths that it set, and the transaction that created
    /// the first of these nodes.
    fn write(&mut self, session: usize, changes: &[Change]) -> Result<(Vec<String>, i64), Reply> {
        let mut set_made = None;
        let mut new: Map<&str, Found> = Map::default();
        let zxid = self.last + 1;
        for change in changes {
            let (Change::Create { path, .. }
            | Change::Set { path, .. }
            | Change::Check { path, .. }
            | Change::Delete { path, .. }
            | Change::DeleteAll { prefix: path }) = change;
            let there = new.get(&**path).cloned().unwrap_or_else(|| self.truth(path));
            let fresh = |data: &Rc<[u8]>, owner| {
                Some(Rc::new(Data { data: Rc::clone(data), made: zxid, written: zxid, count: 0, owner }))
            };
            let again = |there: &Data, data: &Rc<[u8]>| {
                let count = there.count + 1;
                Some(Rc::new(Data { data: Rc::clone(data), written: zxid, count, ..there.clone() }))
            };
            let next = match (change, there) {
                (Change::Create { .. }, Some(_)) => return Err(Reply::Exists),
                (Change::Create { path, data, ephemeral }, None) => {
                    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                    if *ephemeral && self.truth(parent).is_none() {
                        return Err(Reply::NoNode);
                    }
                    fresh(data, ephemeral.then_some(session))
                }
                (Change::Check { count, .. }, Some(there)) if *count == there.count => continue,
                (Change::Check { .. }, Some(_)) => return Err(Reply::BadVersion),
                (Change::Set { .. } | Change::Delete { .. } | Change::Check { .. }, None) => return Err(Reply::NoNode),
                (Change::Set { count, .. } | Change::Delete { count, .. }, Some(there))
                    if count.is_some_and(|count| count != there.count) =>
                {
                    return Err(Reply::BadVersion);
                }
                (Change::Set { path, data, .. }, Some(there)) => {
                    set_made.get_or_insert(there.made);
                    if there.owner.is_some() && there.data != *data {
                        self.mistaken.get_or_insert_with(|| path.clone());
                    }
                    again(&there, data)
                }
                (Change::Delete { .. }, Some(_)) => None,
                (Change::DeleteAll { .. }, _) => continue,
            };
            new.insert(path, next);
        }
        let gone = changes.iter().filter_map(|change| match change {
            Change::DeleteAll { prefix } => Some(self.paths(prefix)),
            _ => None,
        });
        let gone: Vec<String> = gone.flatten().collect();
        let mut set: Vec<(String, Found)> = new.into_iter().map(|(path, node)| (path.to_owned(), node)).collect();
        set.sort_by(|a, b| a.0.cmp(&b.0));
        self.last = zxid;
        gone.iter().for_each(|path| self.put(path, None));
        let paths = set.iter().map(|(path, _)| path.clone()).collect();
        set.into_iter().for_each(|(path, node)| self.put(&path, node));
        Ok((paths, set_made.unwrap_or_default()))
    }

    /// Lets a member catch up; returns the watches that fire: session and path.
    pub(crate) fn advance(&mut self, member: usize, to: i64) -> Vec<(usize, String)> {
        let from = self.members[member];
        if to <= from {
            return Vec::new();
        }
        self.members[member] = to;
        let begin = self.changed.partition_point(|(zxid, _)| *zxid <= from);
        let end = self.changed.partition_point(|(zxid, _)| *zxid <= to);
        let changed: Set<&String> = self.changed[begin..end].iter().map(|(_, path)| path).collect();
        let mut fired = Vec::new();
        for (id, session) in self.sessions.iter_mut().enumerate() {
            if session.over || session.member != Some(member) || session.watches.is_empty() {
                continue;
            }
            let mut mine: Vec<String> = session.watches.keys().filter(|path| changed.contains(path)).cloned().collect();
            mine.sort_unstable();
            for path in mine {
                session.watches.remove(&path);
                session.seen = session.seen.max(to);
                fired.push((id, path));
            }
        }
        fired
    }

    /// Connects a session to a member that is not behind it; returns the watches that fire.
    pub(crate) fn connect(&mut self, id: usize, member: usize) -> Vec<(usize, String)> {
        let mut fired = self.advance(member, self.sessions[id].seen);
        self.sessions[id].member = Some(member);
        let at = self.members[member];
        let is_old = |(path, set): (&String, &i64)| {
            let history = self.nodes.get(path)?;
            history.iter().any(|(zxid, _)| zxid > set && *zxid <= at).then(|| path.clone())
        };
        let mut old: Vec<String> = self.sessions[id].watches.iter().filter_map(is_old).collect();
        old.sort_unstable();
        for path in old {
            self.sessions[id].watches.remove(&path);
            fired.push((id, path));
        }
        fired
    }

    /// The response of a member; also the watches that fire before, and the paths that were set.
    pub(crate) fn answer(&mut self, id: usize, ask: &Ask) -> (Vec<(usize, String)>, Reply, Vec<String>) {
        let member = self.sessions[id].member.unwrap_or_default();
        let (mut fired, mut set) = (Vec::new(), Vec::new());
        let reply = match ask {
            Ask::Get { path, sync } => {
                if *sync {
                    fired = self.advance(member, self.last);
                }
                Reply::Node(self.at(path, self.members[member]))
            }
            Ask::Watch { path } => {
                let at = self.members[member];
                self.sessions[id].watches.insert(path.clone(), at);
                Reply::Node(self.at(path, at))
            }
            Ask::Write(changes) => {
                let result = self.write(id, changes);
                fired = self.advance(member, self.last);
                match result {
                    Ok((paths, made)) => {
                        set = paths;
                        Reply::Written(self.last, made)
                    }
                    Err(reply) => reply,
                }
            }
        };
        self.sessions[id].seen = self.sessions[id].seen.max(self.members[member]);
        (fired, reply, set)
    }

    /// Ends a session, with all its nodes.
    pub(crate) fn end(&mut self, id: usize) {
        let session = &mut self.sessions[id];
        if std::mem::replace(&mut session.over, true) {
            return;
        }
        session.watches.clear();
        session.member = None;
        let own = |history: &Vec<(i64, Found)>| {
            history.last().and_then(|(_, node)| node.as_ref()).is_some_and(|node| node.owner == Some(id))
        };
        let mut paths: Vec<String> =
            self.nodes.iter().filter(|(_, history)| own(history)).map(|(path, _)| path.clone()).collect();
        paths.sort_unstable();
        if !paths.is_empty() {
            self.last += 1;
            paths.iter().for_each(|path| self.put(path, None));
        }
    }
}
