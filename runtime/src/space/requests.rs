//! Requests to the store for machines and commands: carries them out, signs what is written and verifies what is read.

use std::sync::{PoisonError, RwLockReadGuard};

use serde::de::DeserializeOwned;
use tokio::sync::watch;
use wattle_agent_core::machine::{Action, Event};
use wattle_agent_core::request::{Answer, Op, Request, Step, Task, Versions};

use crate::store::{Node, StoreError};

use super::writers::Verdict;
use super::{
    Authority, Disowned, NotSigned, Revision, Signer, Space, SpaceError, Sure, envelope, parse_json, unverified,
};

impl Space {
    /// The request for an action of a machine. `None` if the action is not a request.
    pub fn task(&self, action: &Action) -> Option<Task> {
        Task::of(action, &self.layout, &mut self.versions())
    }

    /// Carries out a machine's request, waits as long as it takes, and returns the event for the machine.
    ///
    /// # Errors
    /// The store refuses the request, or cannot be used.
    pub async fn perform(&self, mut task: Task) -> Result<Event, SpaceError> {
        let is_led = self.is_led && task.is_led();
        let (mut op, mut operator) = (task.begin(), self.operators());
        loop {
            let answer = self.carry_out(op, is_led, &mut operator).await?;
            match task.answered(answer, &mut self.versions()) {
                Step::Ask(next) => op = next,
                Step::Over(event) => return Ok(event),
            }
        }
    }

    /// Carries out a request.
    pub(super) async fn ask<R: Request>(&self, request: R) -> Result<R::Out, SpaceError> {
        self.ask_while(request, &|| true).await
    }

    /// Carries out a request as long as the caller is `sure`.
    pub(super) async fn ask_while<R: Request>(&self, mut request: R, sure: Sure<'_>) -> Result<R::Out, SpaceError> {
        let (mut op, mut operator) = (request.begin(), self.operators());
        loop {
            if matches!(op, Op::Set(..)) && !sure() {
                return Err(SpaceError::Unsure);
            }
            let answer = self.carry_out(op, self.is_led, &mut operator).await?;
            match request.answered(answer) {
                Step::Ask(next) => op = next,
                Step::Over(out) => return out.map_err(SpaceError::from),
            }
        }
    }

    /// Notifies from now on when the operator's key changes.
    fn operators(&self) -> Option<watch::Receiver<Authority>> {
        self.operator.as_ref().map(|operator| operator.changes())
    }

    /// `operator` notifies when the operator's key has changed since contents were last verified with it.
    async fn carry_out(
        &self,
        op: Op,
        is_led: bool,
        operator: &mut Option<watch::Receiver<Authority>>,
    ) -> Result<Answer, SpaceError> {
        Ok(match op {
            Op::Get(path) => {
                let node = if is_led { self.store.look(&path).await? } else { self.store.get(&path).await? };
                Answer::Node(self.verified(&path, node).await?)
            }
            Op::Changed(path, seen) => {
                let node = tokio::select! {
                    node = self.store.changed(&path, seen) => node?,
                    // Contents that were not trusted may be signed with the operator's new key.
                    () = becomes_another(operator) => self.get(&path).await?,
                };
                Answer::Node(self.verified(&path, node).await?)
            }
            Op::Set(path, data, version) => match self.store.set(&path, &self.signed(&path, data), Some(version)).await
            {
                Ok(version) => Answer::Set(version),
                Err(StoreError::Conflict { .. }) => Answer::Conflict,
                Err(StoreError::Missing { .. }) => Answer::Missing,
                Err(error) => return Err(error.into()),
            },
        })
    }

    /// Verifies the contents of the node at `path` if it belongs to a server.
    pub(super) async fn verified(&self, path: &str, node: Option<Node>) -> Result<Option<Node>, SpaceError> {
        let Some(node) = node else { return Ok(None) };
        let operator = self.operator.as_ref().map(|operator| operator.now());
        let (counts, why) = match self.writers.judge(operator.as_ref(), path, &node.data) {
            Verdict::Newer(of) if self.is_ahead(path, &of).await => (false, Some(Disowned::Ahead)),
            Verdict::Counts | Verdict::Newer(_) => (true, None),
            Verdict::Outdated => (false, None),
            Verdict::Disowned(why) => (false, Some(why)),
        };
        // This server's own contents are written again, and need no report.
        self.writers.note(path, why.filter(|why| *why != Disowned::Ahead || !self.is_own(path)));
        match why {
            Some(why) if self.signers().is_empty() => {
                Err(SpaceError::Untrusted { path: path.to_owned(), reason: why.to_string() })
            }
            _ if counts => Ok(Some(node)),
            _ => Ok(Some(Node { data: Vec::new(), ..node })),
        }
    }

    fn is_own(&self, path: &str) -> bool {
        let key = envelope::said_by(path).and_then(|place| self.writers.key(place));
        self.signers().iter().any(|signer| Some(signer.authority()) == key)
    }

    /// Whether the contents at `path` are of a newer revision than their server has seen. No server writes anything for
    /// a revision before the desired revision has it. An agent that read such contents would stop, and wait in vain for
    /// a plan of that revision. People are shown what the server has written.
    async fn is_ahead(&self, path: &str, of: &Revision) -> bool {
        let Some((_, server)) = envelope::said_by(path).filter(|_| !self.signers().is_empty()) else { return false };
        // Without a desired revision, nothing speaks against it.
        let Ok(Some(desired)) = self.desired_revision().await else { return false };
        let number = desired.plans.as_ref().map_or(desired.revision, |plans| plans.of(server));
        *of > Revision { space: desired.space, number }
    }

    fn signers(&self) -> RwLockReadGuard<'_, Vec<Signer>> {
        self.signers.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn signed(&self, path: &str, data: Vec<u8>) -> Vec<u8> {
        let Some(place) = envelope::said_by(path) else { return data };
        let key = self.writers.key(place);
        let is_named = |signer: &&Signer| key == Some(signer.authority());
        let signers = self.signers();
        match signers.iter().find(is_named).or(signers.last()) {
            Some(signer) => signer.vouch(path, &data),
            None => data,
        }
    }

    pub(super) async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        if self.is_led { self.store.look(path).await } else { self.store.get(path).await }
    }

    pub(super) fn versions(&self) -> std::sync::MutexGuard<'_, Versions> {
        let mut versions = self.versions.lock().expect("INVARIANT: nothing panics while it holds the versions");
        versions.in_session(self.store.session_id());
        versions
    }

    pub(super) async fn get_signed<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, SpaceError> {
        match self.get(path).await? {
            Some(node) => parse_json(path, self.held(path, &node.data)?),
            None => Ok(None),
        }
    }

    /// Verifies the contents `data` of the node at `path` if the operator must have signed them.
    pub(super) fn held<'d>(&self, path: &str, data: &'d [u8]) -> Result<&'d [u8], SpaceError> {
        self.held_by(path, data).map(|(_, held)| held)
    }

    /// Like [`Self::held`], with the authority that has signed, if that matters.
    pub(super) fn held_by<'d>(&self, path: &str, data: &'d [u8]) -> Result<(Option<Authority>, &'d [u8]), SpaceError> {
        let Some(operator) = self.operator.as_ref().filter(|_| self.is_strict) else {
            return Ok((None, unverified(data)));
        };
        let untrusted = |why: NotSigned| SpaceError::Untrusted { path: path.to_owned(), reason: why.to_string() };
        operator.judge(path, data).map(|(by, held)| (Some(by), held)).map_err(untrusted)
    }

    /// From now on, this is the operator's key.
    pub(super) fn passes_to(&self, authority: Authority) {
        if let Some(operator) = &self.operator {
            operator.passes_to(authority);
        }
    }

    pub(super) async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, SpaceError> {
        match self.verified(path, self.get(path).await?).await? {
            Some(node) => parse_json(path, &node.data),
            None => Ok(None),
        }
    }
}

async fn becomes_another(operator: &mut Option<watch::Receiver<Authority>>) {
    if let Some(operator) = operator
        && operator.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}
