//! The requests of a store operation, and the meaning of a lost response: as in `runtime`'s client of ZooKeeper.

use std::rc::Rc;

use wattle_agent_core::node::Version;
use wattle_agent_core::request::{Answer, Op};

use super::store::{Ask, Change, Data, Reply};

/// An operation under way.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    kind: CallKind,
}

#[derive(Clone, Debug)]
enum CallKind {
    Get {
        path: String,
    },
    Changed {
        path: String,
        seen: Option<Version>,
        stage: Stage,
    },
    Set {
        path: String,
        data: Rc<[u8]>,
        expected: Version,
        in_doubt: bool,
        looks: bool,
        /// In another session than the one in which its version was read, it checks whose version that is.
        is_moved: bool,
    },
    /// The caller judges the result.
    Plain(Ask),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Watching,
    Waiting,
    Notified,
    CatchingUp,
}

/// The next step.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    Send(Ask),
    Wait,
    Done(Outcome),
}

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Answer(Answer),
    Plain(Reply),
}

impl Call {
    pub(crate) fn new(op: Op) -> Self {
        let kind = match op {
            Op::Get(path) => CallKind::Get { path },
            Op::Changed(path, seen) => CallKind::Changed { path, seen, stage: Stage::Watching },
            Op::Set(path, data, expected) => {
                CallKind::Set { path, data: data.into(), expected, in_doubt: false, looks: false, is_moved: false }
            }
        };
        Self { kind }
    }

    pub(crate) fn plain(ask: Ask) -> Self {
        Self { kind: CallKind::Plain(ask) }
    }

    /// The request to send now.
    pub(crate) fn ask(&self) -> Option<Ask> {
        Some(match &self.kind {
            // The session began with everything present, and nothing refers a client to later writes.
            CallKind::Get { path } => Ask::Get { path: path.clone(), sync: false },
            CallKind::Changed { path, stage, .. } => match stage {
                Stage::Watching => Ask::Watch { path: path.clone() },
                Stage::Waiting => return None,
                Stage::Notified => Ask::Get { path: path.clone(), sync: false },
                Stage::CatchingUp => Ask::Get { path: path.clone(), sync: true },
            },
            CallKind::Set { path, looks: true, .. } | CallKind::Set { path, is_moved: true, .. } => {
                Ask::Get { path: path.clone(), sync: true }
            }
            CallKind::Set { path, data, expected, .. } => {
                Ask::Write(vec![Change::Set { path: path.clone(), data: Rc::clone(data), count: Some(expected.count) }])
            }
            CallKind::Plain(ask) => ask.clone(),
        })
    }

    /// Handles a broken connection: whether the request was carried out is unknown.
    pub(crate) fn lost(&mut self, was_sent: bool) {
        match &mut self.kind {
            CallKind::Changed { stage, .. } => *stage = Stage::Watching,
            CallKind::Set { in_doubt, looks, .. } => {
                *in_doubt |= was_sent;
                *looks = false;
            }
            CallKind::Get { .. } | CallKind::Plain(_) => {}
        }
    }

    /// Continues in another session.
    pub(crate) fn moves(&mut self) {
        if let CallKind::Set { is_moved, .. } = &mut self.kind {
            *is_moved = true;
        }
    }

    pub(crate) fn waits_for(&self, path: &str) -> bool {
        matches!(&self.kind, CallKind::Changed { path: own, stage: Stage::Waiting, .. } if own == path)
    }

    /// Handles a fired watch.
    pub(crate) fn notified(&mut self) {
        if let CallKind::Changed { stage, .. } = &mut self.kind {
            *stage = Stage::Notified;
        }
    }

    pub(crate) fn answered(&mut self, reply: Reply) -> Next {
        let node =
            |node: &Option<Rc<Data>>| Next::Done(Outcome::Answer(Answer::Node(node.as_ref().map(|node| node.node()))));
        let next = match (&mut self.kind, &reply) {
            (CallKind::Plain(_), _) => Next::Done(Outcome::Plain(reply)),
            (CallKind::Get { .. }, Reply::Node(found)) => node(found),
            (CallKind::Changed { seen, stage, .. }, Reply::Node(found)) => {
                let there = found.as_ref().map(|node| node.version());
                let is_newer = there.is_some_and(|there| seen.is_none_or(|seen| there.transaction > seen.transaction));
                let before = *stage;
                if there != *seen && (matches!(before, Stage::Notified | Stage::CatchingUp) || is_newer) {
                    return node(found);
                }
                *stage = match before {
                    Stage::Watching if there == *seen => Stage::Waiting,
                    Stage::Watching => Stage::CatchingUp,
                    // After it caught up, nothing has changed: its watch is still there, or it looks again.
                    Stage::Notified | Stage::CatchingUp | Stage::Waiting => Stage::Watching,
                };
                if *stage == Stage::Waiting { Next::Wait } else { Next::Send(Ask::Write(Vec::new())) }
            }
            (CallKind::Set { expected, is_moved: is_moved @ true, .. }, Reply::Node(found)) => {
                *is_moved = false;
                match found {
                    Some(node) if node.made > expected.transaction => Next::Done(Outcome::Answer(Answer::Conflict)),
                    _ => Next::Send(Ask::Write(Vec::new())),
                }
            }
            (CallKind::Set { data, expected, looks: looks @ true, .. }, Reply::Node(found)) => {
                *looks = false;
                let ours = found.as_ref().filter(|node| node.data == *data && node.count == expected.count + 1);
                Next::Done(Outcome::Answer(ours.map_or(Answer::Conflict, |node| Answer::Set(node.version()))))
            }
            // Counts restart for a node that was created again.
            (CallKind::Set { expected, .. }, Reply::Written(_, made)) if *made > expected.transaction => {
                Next::Done(Outcome::Answer(Answer::Conflict))
            }
            (CallKind::Set { expected, .. }, Reply::Written(zxid, _)) => {
                let version = Version { transaction: *zxid, count: expected.count + 1 };
                Next::Done(Outcome::Answer(Answer::Set(version)))
            }
            (CallKind::Set { in_doubt: true, looks, .. }, Reply::BadVersion) => {
                *looks = true;
                Next::Send(Ask::Write(Vec::new()))
            }
            (CallKind::Set { .. }, Reply::NoNode) => Next::Done(Outcome::Answer(Answer::Missing)),
            _ => Next::Done(Outcome::Answer(Answer::Conflict)),
        };
        match next {
            Next::Send(_) => self.ask().map_or(Next::Wait, Next::Send),
            next => next,
        }
    }
}
