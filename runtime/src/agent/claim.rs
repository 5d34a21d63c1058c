//! Follows the desired revision, and ensures that only one agent at a time acts for the server.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time;
use wattle_agent_core::machine::Event;

use crate::clock;
use crate::recipe::boot;
use crate::space::{Alive, Authority, DesiredRevision, Hears, SpaceError};
use crate::store::{Access, Hold, Principal, Rights, StoreError, Turn};

use super::admission;
use super::shared::Shared;
use super::touch::Moment;

/// The name under which a status reports that another agent acts for the server.
const ANOTHER: &str = "another agent";

/// How long to wait before checking again which agent acts for the server, if this agent may not read that.
const DENIED: Duration = Duration::from_secs(5);

/// Follows the desired revision, and registers this agent for the server until it `ends`. Then it withdraws the
/// registration.
///
/// # Errors
/// The data space does not allow it.
pub(super) async fn follow(shared: Arc<Shared>, mut ends: watch::Receiver<bool>) -> Result<(), SpaceError> {
    let ends = async move { drop(ends.wait_for(|ends| *ends).await) };
    let mut ends = std::pin::pin!(ends);
    let (sender, desired_revisions) = watch::channel(None);
    let mut desired = std::pin::pin!(desire(&shared, sender));
    let mut held: Option<Hold> = None;
    // The operator who may read the held node.
    let mut reader: Option<Principal> = None;
    let mut others = desired_revisions.clone();
    let mut has_looked = false;
    let mut claiming = std::pin::pin!(claim(&shared, desired_revisions.clone(), true));
    loop {
        tokio::select! {
            biased;
            () = &mut ends => {
                if let Some(node) = held {
                    node.release().await;
                }
                return Ok(());
            }
            refused = &mut desired => return refused,
            claimed = &mut claiming, if held.is_none() => {
                let (node, operator) = claimed?;
                (held, reader) = (Some(node), operator);
                if !std::mem::replace(&mut has_looked, true) {
                    shared.look_back().await;
                }
                others.mark_changed();
                shared.trouble(ANOTHER, None);
                shared.admission.acts();
                shared.say(Event::Claimed(true));
            }
            // A node that was created for an operator's former key is created again.
            Ok(()) = others.changed(), if held.is_some() => {
                let is_another = others.borrow_and_update().as_ref().is_some_and(|desired| desired.operator != reader);
                if let Some(node) = held.take_if(|_| is_another) {
                    node.release().await;
                    shared.touch.has_not();
                    claiming.set(claim(&shared, desired_revisions.clone(), false));
                }
            }
            turn = next(&mut held) => match turn {
                Turn::Again => shared.say(Event::Claimed(true)),
                Turn::Lost => {
                    held = None;
                    shared.touch.has_not();
                    claiming.set(claim(&shared, desired_revisions.clone(), false));
                }
            },
        }
    }
}

/// Reports the desired revision, forever.
///
/// # Errors
/// The data space does not allow it.
async fn desire(shared: &Shared, desired_revisions: watch::Sender<Option<DesiredRevision>>) -> Result<(), SpaceError> {
    const TROUBLE: &str = "the plan";
    let following = shared.space.follow(&shared.server);
    let (plan, desired) = (following.plan(), shared.space.layout().revision());
    let listener = Listener { shared, desired_revisions };
    let mut in_trouble = false;
    let mut changes = shared.admission.changes().await;
    // The operator may have another key now.
    let look = async || {
        if let Err(error) = following.look(&listener).await {
            tracing::debug!("the desired revision cannot be read: {error}");
        }
    };
    loop {
        // With another shared login, this server can read nodes that were kept from it before.
        let next = tokio::select! {
            biased;
            next = shared.insist(|| following.next(&listener)) => next,
            _ = changes.changed() => {
                look().await;
                continue;
            }
        };
        let (error, pause) = match next {
            Ok(desired) => {
                if std::mem::take(&mut in_trouble) {
                    shared.trouble(TROUBLE, None);
                }
                shared.space.believe(&shared.server, &desired.plan);
                shared.signals.works_by(desired.plan.revision);
                shared.asked.works_by(desired.plan.of());
                shared.say(Event::Desired(desired));
                continue;
            }
            Err(SpaceError::Malformed { path, reason } | SpaceError::Untrusted { path, reason }) if path == plan => {
                (reason, Duration::ZERO)
            }
            Err(SpaceError::Store(StoreError::Denied { path, .. })) if path == plan || path == desired => {
                admission::barred(shared).await
            }
            Err(error) => return Err(error),
        };
        in_trouble = true;
        shared.trouble(TROUBLE, Some(format!("cannot read this server's plan: {error}")));
        tokio::select! {
            () = time::sleep(pause) => {}
            _ = changes.changed() => look().await,
        }
    }
}

/// Receives desired revisions, and decides whether they count.
struct Listener<'a> {
    shared: &'a Shared,
    desired_revisions: watch::Sender<Option<DesiredRevision>>,
}

impl Hears for Listener<'_> {
    fn desired_revision(&self, desired: DesiredRevision, by: Option<Authority>) -> Result<(), String> {
        if let Some(given) = self.shared.admission.credential.authority() {
            let (expires, now) = (desired.expires.unwrap_or_default(), clock::now());
            if expires <= now {
                return Err(format!(
                    "it was valid until {expires:.0}, and the clock of this server says {now:.0}: set the clock, or \
                     make it valid again with `wattle seed apply`"
                ));
            }
            self.shared.seen.admit(&desired, &self.shared.server, (given, by.unwrap_or(given)))?;
        }
        self.shared.admission.is_in(desired.space.as_ref());
        self.desired_revisions.send_replace(Some(desired));
        Ok(())
    }

    fn refused(&self, why: Option<String>, shown: Option<DesiredRevision>) {
        // Without its place, the agent could not report this.
        if let Some(shown) = shown {
            self.desired_revisions.send_if_modified(|desired| desired.is_none() && desired.replace(shown).is_none());
        }
        self.shared.trouble("what the operator says", why);
    }
}

/// Returns at the next change of the held node.
async fn next(held: &mut Option<Hold>) -> Turn {
    match held {
        Some(node) => node.next().await,
        None => std::future::pending().await,
    }
}

/// Whether the server's place has changed from `place`. If so, updates `place`.
async fn moves(shared: &Shared, place: &mut String) -> Result<bool, SpaceError> {
    let newest = shared.insist(|| shared.space.place(&shared.server)).await?;
    Ok(newest != std::mem::replace(place, newest.clone()))
}

/// Waits until no other agent acts for the server, and registers this one. If this process `begins`, it may also
/// replace its predecessor. Returns the operator who may read the registration as well.
async fn claim(
    shared: &Shared,
    mut desired_revisions: watch::Receiver<Option<DesiredRevision>>,
    begins: bool,
) -> Result<(Hold, Option<Principal>), SpaceError> {
    // Before there is a desired revision, the data space has no places for agents.
    let operator = |desired: &Option<DesiredRevision>| desired.as_ref().and_then(|desired| desired.operator.clone());
    let found = desired_revisions.wait_for(Option::is_some).await.map(|desired| operator(&desired));
    let Ok(operator) = found else { return std::future::pending().await };
    let boot = boot();
    let agent = shared.touch.agent();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let alive = Alive {
        since: clock::now(),
        host,
        pid: std::process::id(),
        version,
        agent: Some(agent.to_owned()),
        boot: Some(boot.clone()),
        logs: true,
    };
    // An agent that replaces its predecessor writes the predecessor's node. Others need only see whether the node
    // exists.
    let own = Access::new().grant(&shared.admission.public().principal, Rights::READ.and(Rights::WRITE));
    let access = operator.iter().fold(own, |access, operator| access.grant(operator, Rights::READ));
    let mut over = None;
    // Few servers have a place other than their first, so the first is tried without asking.
    let mut place = shared.server.to_string();
    loop {
        let path = shared.space.layout().alive(&place);
        let asked = Moment::now();
        match shared.insist(|| shared.space.come_alive(&place, &alive, &access, over)).await {
            Ok(node) => {
                shared.touch.has(place, asked);
                return Ok((node, operator));
            }
            // The data space has no place for this server: not yet, or no longer.
            Err(SpaceError::Store(StoreError::Missing { .. })) => {
                if moves(shared, &mut place).await? {
                    over = None;
                    continue;
                }
                // The place may appear without a new plan for the server, when a newer version applies the seed again.
                let place = shared.space.layout().agent(&place);
                let made = shared.insist(|| async { Ok(shared.space.store().changed(&place, None).await?) });
                tokio::select! {
                    made = made => drop(made?),
                    changed = desired_revisions.changed() => if changed.is_err() {
                        return std::future::pending().await;
                    },
                }
                continue;
            }
            // Another agent is there.
            Err(SpaceError::Store(StoreError::Conflict { .. })) => {}
            // The place is a former one, or another server has been admitted in place of this one.
            Err(SpaceError::Store(StoreError::Denied { .. })) => {
                if moves(shared, &mut place).await? {
                    over = None;
                } else {
                    time::sleep(DENIED).await;
                }
                continue;
            }
            Err(error) => return Err(error),
        }
        let holder = match shared.insist(|| shared.space.holder(&place)).await {
            // An agent of another server or with another disk, or something that such an agent has left there.
            Err(SpaceError::Store(StoreError::Denied { .. }) | SpaceError::Malformed { .. }) => {
                if moves(shared, &mut place).await? {
                    over = None;
                    continue;
                }
                let what = "another agent acts for this server, on another machine or with another disk: this one waits until \
                            that one has ended";
                shared.trouble(ANOTHER, Some(what.to_owned()));
                shared.say(Event::Claimed(false));
                time::sleep(DENIED).await;
                continue;
            }
            holder => holder?,
        };
        over = match holder {
            None => None,
            // This agent's own predecessor, which the lock on the folder proves to be gone. On another machine, or if
            // this process has acted for the server before, it is an agent with a copy of the folder.
            Some((holder, version))
                if begins && holder.agent.as_deref() == Some(agent) && holder.boot.as_deref() == Some(&*boot) =>
            {
                Some(version)
            }
            Some((holder, version)) => {
                let what = format!(
                    "another agent acts for this server, process {} on host `{}` since {:.0}: this one waits until that \
                     one has ended",
                    holder.pid, holder.host, holder.since
                );
                shared.trouble(ANOTHER, Some(what));
                shared.say(Event::Claimed(false));
                let changed = shared.insist(|| async { Ok(shared.space.store().changed(&path, Some(version)).await?) });
                tokio::select! {
                    changed = changed => drop(changed?),
                    moved = shared.insist(|| shared.space.moved(&place)) => moved?,
                }
                moves(shared, &mut place).await?;
                None
            }
        };
    }
}
