//! Admitting servers' own keys to a stack as it is deployed, without its seed.

use std::collections::HashMap;
use std::sync::Arc;

use wattle::model::{IndexMap, IndexSet, Name};
use wattle_agent_core::applying;
use wattle_agent_core::plan::Writer;
use wattle_agent_core::planning::{Sealing as _, keep_standing};

use crate::clock;
use crate::space::{Layout, OperatorKey, Plan, Revision, Shared};
use crate::store::{Access, Op, Principal, Store, StoreError};

use super::operator::Signed;
use super::present::{self, Deployed, Present};
use super::roster::{Admitting, Roster};
use super::sealing::ForServers;
use super::sharing::{Sharing, has_left};
use super::wanted::{Wanted, foreign, is_another};
use super::work::{goal, tampered};
use super::write::Writing;
use super::{Changes, SeedError, deployed, names, rights};

/// What became of [`admit`].
#[derive(Clone, Debug)]
pub struct Admission {
    /// The revision of the stack now.
    pub revision: u64,
    /// The servers whose keys were admitted.
    pub admitted: Vec<Name>,
    /// Those of the others that live on the credentials of their user data.
    pub on_credentials: Vec<Name>,
    /// Of those that were named, those that have said nothing of themselves that is not known.
    pub silent: Vec<Name>,
    /// What has changed.
    pub changes: Changes,
}

/// Whose keys [`admit`] would admit, and whom it would miss.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// Those that have come.
    pub come: Vec<Name>,
    /// Those that live on their credentials or are named, and have not.
    pub absent: Vec<Name>,
}

/// Who is to come to `stack`, and has or has not.
///
/// # Errors
/// As [`admit`].
pub async fn waiting(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
) -> Result<Waiting, SeedError> {
    let Found { roster, .. } = find(&Signed::new(store, key), stack, named, false).await?;
    let lives = roster.on_credentials().map(|(server, _)| server);
    let absent = lives.filter(|server| named.is_empty() || named.contains(server));
    let silent = named.iter().filter(|server| !roster.admitted.contains(server));
    let absent: IndexSet<Name> = absent.chain(silent).cloned().collect();
    Ok(Waiting { come: roster.admitted, absent: absent.into_iter().collect() })
}

/// Admits the keys of all servers of `stack` that were never admitted and have said who they will be, and of those that are
/// `named` in any case: what is deployed stays, and is theirs. `store` is used as the operator who has `key`.
///
/// # Errors
/// When the stack was not deployed to the end by a version that knows of servers' own keys, or is not as its operator has written
/// it; as [`apply`](super::apply) what is broken off: it is completed by the next call of `apply`.
pub async fn admit(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
) -> Result<Admission, SeedError> {
    admit_as(store, stack, key, named, false).await
}

/// The same; of those that are `named` and have keys of their own, only what is `endorsed` by these if that is asked for, and nobody else.
pub(super) async fn admit_as(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
    endorsed: bool,
) -> Result<Admission, SeedError> {
    let signed = Signed::new(store, key);
    let Found { layout, there, present, roster } = find(&signed, stack, named, endorsed).await?;
    let store: &Arc<dyn Store> = &(signed as Arc<dyn Store>);
    let on_credentials = roster.on_credentials().map(|(server, _)| server.clone()).collect();
    let admitted = roster.admitted.clone();
    let silent = named.iter().filter(|server| !admitted.contains(server)).cloned().collect();
    if admitted.is_empty() {
        let changes = Changes { from: Some(there.goal.revision), to: there.goal.revision, ..Changes::default() };
        return Ok(Admission { revision: there.goal.revision, admitted, on_credentials, silent, changes });
    }
    let revision = applying::number(Some(there.goal.there()), false);
    let next = Next { layout: &layout, key, there: &there, present: &present };
    let wanted = next.wanted(roster, &Revision { space: there.goal.space.clone(), number: revision })?;
    let mut writing = Writing::make(&layout, None, &present, &wanted)?;
    writing.keep(deployed::shared(&layout, &present.files, &wanted.sharing.access()));
    let mut changes = Changes::between(&layout, &present, &wanted, revision);
    changes.rights = writing.rights.iter().map(ToString::to_string).collect();
    let identities = wanted.roster.digest(true);
    let told = goal(&wanted, key, revision, there.goal.space.clone(), there.goal.digest.clone());
    let told = Deployed { goal: told, identities, turn: None, ..there };
    Box::pin(writing.carry_out(store, &layout, &present, &wanted, &told)).await?;
    // Whoever acted for such a server has no right to it any more, and would keep the one from it that has.
    for server in admitted.iter().filter(|server| named.contains(server)) {
        match store.apply(vec![Op::Delete { path: layout.alive(server) }]).await {
            Ok(()) | Err(StoreError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Admission { revision, admitted, on_credentials, silent, changes })
}

/// What is there, and who is to be admitted.
pub(super) struct Found {
    pub(super) layout: Layout,
    there: Deployed,
    present: Present,
    pub(super) roster: Roster,
}

pub(super) async fn find(
    signed: &Arc<Signed>,
    stack: &str,
    named: &[Name],
    endorsed: bool,
) -> Result<Found, SeedError> {
    names::check("stack", stack)?;
    let store: &Arc<dyn Store> = &(Arc::clone(signed) as Arc<dyn Store>);
    let layout = Layout::new(stack);
    let there = present::deployed(store, &layout).await?;
    let is_whole = |there: &(Deployed, _)| there.0.goal.applying.is_none() && there.0.announces;
    let there = there.filter(is_whole).ok_or_else(|| {
        let nodes = tampered(signed.refused(), &Present::default());
        let stack = stack.to_owned();
        if nodes.is_empty() { SeedError::Incomplete { stack } } else { SeedError::Tampered { stack, nodes } }
    })?;
    let present = Present::read(store, &layout, Some(there.clone()), false).await?;
    let nodes = tampered(signed.refused(), &present);
    if !nodes.is_empty() {
        return Err(SeedError::Tampered { stack: stack.to_owned(), nodes });
    }
    let there = there.0;
    let active = || present.plans.iter().filter(|(_, plan)| !plan.retired).map(|(server, _)| server);
    let is_active = |server: &Name| present.plans.get(server).is_some_and(|plan| !plan.retired);
    let unknown: Vec<String> = named.iter().filter(|server| !is_active(server)).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        return Err(SeedError::NoServer { stack: stack.to_owned(), servers: unknown });
    }
    let space = there.goal.space.as_ref();
    let admitting = Admitting { newcomers: !endorsed, named, endorsed, space, now: clock::now() };
    let roster = Roster::of_records(&layout, active(), &present.register, admitting);
    if let Some(server) = active().find(|server| !roster.servers.contains_key(*server)) {
        return Err(SeedError::Unreadable { server: server.to_string() });
    }
    Ok(Found { layout, there, present, roster })
}

/// What is deployed, with other keys.
pub(super) struct Next<'a> {
    pub(super) layout: &'a Layout,
    pub(super) key: &'a OperatorKey,
    pub(super) there: &'a Deployed,
    pub(super) present: &'a Present,
}

impl Next<'_> {
    pub(super) fn wanted(&self, roster: Roster, revision: &Revision) -> Result<Wanted, SeedError> {
        let present = self.present;
        let principals = roster.principals();
        let (active, retired): (Vec<_>, Vec<_>) = present.plans.iter().partition(|(_, plan)| !plan.retired);
        let entries = Self::entries(&active, &principals);
        let mut sealing = ForServers::new(self.key, &roster, present);
        let mut plans = IndexMap::with_capacity_and_hasher(present.plans.len(), Default::default());
        let recipients = self.recipients(&roster);
        for (server, plan) in &active {
            let mut plan = (*plan).clone();
            if is_another(present, &principals, server) {
                plan = sealing.anew(server, plan)?;
            }
            for output in plan.components.values_mut().flat_map(|component| component.outputs.values_mut()) {
                for recipient in &mut output.recipients {
                    if let Some(now) = recipients.get(recipient) {
                        recipient.clone_from(now);
                    }
                }
            }
            plan.revision = revision.number;
            plan.key = sealing.key(server);
            for (writer, known) in &mut plan.writers {
                *known = Writer { revision: revision.number, key: sealing.key(writer) };
            }
            plans.insert((*server).clone(), plan);
        }
        let active = plans.len();
        plans.extend(retired.iter().map(|(server, plan)| ((*server).clone(), plan.left_behind(revision))));
        let mut exports = present.exports.clone();
        for (server, key) in exports.values_mut().flat_map(|export| &mut export.keys) {
            if let Some(now) = sealing.key(server) {
                *key = now;
            }
        }
        keep_standing(&mut plans, &present.plans, |server| is_another(present, &principals, server));
        let retired = plans.split_off(active);
        let former = match &present.shared {
            Some(Shared::Now(members)) => members.former.clone(),
            _ => None,
        };
        let former = former.filter(|_| roster.has_former());
        let place = (self.layout, revision.space.as_ref());
        let left = has_left(&present.active(), &principals);
        Ok(Wanted {
            retired,
            entries,
            exports,
            foreign: foreign(&plans, &principals),
            plans,
            sharing: Sharing::new(self.key, place, present.shared.as_ref(), left, former),
            roster,
            principals,
            has_places: self.there.announces,
            space: revision.space.clone(),
            operator: self.key.login().principal(),
        })
    }

    /// For whom is to be encrypted now what was encrypted for others before.
    fn recipients(&self, roster: &Roster) -> HashMap<String, String> {
        let other = |server: &Name| {
            let before = self.present.register.records.get(server)?.registered()?.identity();
            Some((before.recipient.clone(), roster.identity(server)?.recipient.clone()))
        };
        roster.admitted.iter().filter_map(other).collect()
    }

    /// The rights to all entries.
    fn entries(plans: &[(&Name, &Plan)], principals: &HashMap<Name, Principal>) -> IndexMap<Name, Access> {
        let mut granted = rights::granted(plans.iter().copied(), principals);
        let names = plans.iter().flat_map(|(server, plan)| rights::written(server, plan));
        names.filter_map(|name| granted.remove(&name).map(|access| (Name::from(name), access))).collect()
    }
}
