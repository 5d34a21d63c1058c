//! Admits servers' own keys to a deployed stack, without its seed.

use std::collections::HashMap;
use std::sync::Arc;

use wattle::model::{IndexMap, IndexSet, Name};
use wattle_agent_core::applying;
use wattle_agent_core::planning::{Sealing as _, keep_standing};
use wattle_agent_core::server_plan::Writer;

use crate::clock;
use crate::space::{DesiredRevision, Fingerprint, Held, Layout, OperatorKey, Revision, ServerPlan, Shared, Signed};
use crate::store::{Access, Principal, Store};

use super::present::{self, Deployed, Present};
use super::roster::{Admitting, Roster};
use super::sealing::ForServers;
use super::sharing::{Sharing, has_left};
use super::turn::{self, Turn};
use super::wanted::{Wanted, foreign, is_another};
use super::work::{desired_revision, insist, not_deployed};
use super::write::Writing;
use super::{Changes, SeedError, deployed, names, rights};

/// The result of [`admit`].
#[derive(Clone, Debug)]
pub struct Admission {
    /// The present revision of the stack.
    pub revision: u64,
    /// The servers whose keys were admitted.
    pub admitted: Vec<Name>,
    /// The keys of these servers.
    pub keys: Vec<Fingerprint>,
    /// The other servers that still use the credentials of their user data.
    pub on_credentials: Vec<Name>,
    /// The named servers that have announced nothing new.
    pub silent: Vec<Name>,
    /// What has changed.
    pub changes: Changes,
}

/// The servers whose keys [`admit`] would admit, and those that it would miss.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// The servers that have announced a key.
    pub come: Vec<Name>,
    /// The servers that use their credentials or are named, and have not announced a key.
    pub absent: Vec<Name>,
}

/// Lists the servers of `stack` that are expected to announce a key, and whether they have.
///
/// # Errors
/// As for [`admit`].
pub async fn waiting(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
) -> Result<Waiting, SeedError> {
    let Found { roster, there, .. } = find(&Signed::new(store, key), stack, named, None, Doing::Looks).await?;
    let lives = roster.on_credentials().map(|(server, _)| server);
    let absent = lives.filter(|server| named.is_empty() || named.contains(server));
    let come: IndexSet<Name> = there.admitting.keys().chain(&roster.admitted).cloned().collect();
    let silent = named.iter().filter(|server| !come.contains(*server));
    let absent = absent.filter(|server| !come.contains(*server));
    let absent: IndexSet<Name> = absent.chain(silent).cloned().collect();
    Ok(Waiting { come: come.into_iter().collect(), absent: absent.into_iter().collect() })
}

/// Admits the keys that servers of `stack` have announced: of all servers that were never admitted, and of those that
/// are `named` in any case. The deployment is unchanged, but granted to those keys. `store` is used as the operator who
/// has `key`.
///
/// # Errors
/// The stack was not fully deployed by a version that supports servers' own keys, or differs from what its operator has
/// written. The next call completes an interrupted one, whatever names it is given, and so does the next call of
/// [`apply`](super::apply).
pub async fn admit(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
) -> Result<Admission, SeedError> {
    admit_as(store, stack, key, named, None, Doing::Admits).await
}

/// Like [`admit`] with one named server, and only if it has announced the key with this fingerprint.
///
/// # Errors
/// As for [`admit`], and [`SeedError::OtherAnnounced`].
pub async fn admit_only(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    server: &Name,
    fingerprint: Fingerprint,
) -> Result<Admission, SeedError> {
    admit_as(store, stack, key, std::slice::from_ref(server), Some(fingerprint), Doing::Admits).await
}

/// Like [`admit`], or only for those that are `named` and have renewed their keys.
pub(super) async fn admit_as(
    store: &Arc<dyn Store>,
    stack: &str,
    key: &OperatorKey,
    named: &[Name],
    only: Option<Fingerprint>,
    doing: Doing,
) -> Result<Admission, SeedError> {
    let signed = Signed::new(store, key);
    let Found { layout, there, present, roster } = find(&signed, stack, named, only, doing).await?;
    let store: &Arc<dyn Store> = &(signed as Arc<dyn Store>);
    let on_credentials = roster.on_credentials().map(|(server, _)| server.clone()).collect();
    // The servers that an interrupted call was admitting, and all others.
    let admitted: IndexSet<&Name> = there.admitting.keys().chain(&roster.admitted).collect();
    let admitted: Vec<Name> = admitted.into_iter().cloned().collect();
    let keys = admitted.iter().filter_map(|server| Some(roster.identity(server)?.key.fingerprint())).collect();
    let silent = named.iter().filter(|server| !admitted.contains(server)).cloned().collect();
    if admitted.is_empty() {
        let changes = Changes { from: Some(there.desired.revision), to: there.desired.revision, ..Changes::default() };
        return Ok(Admission { revision: there.desired.revision, admitted, keys, on_credentials, silent, changes });
    }
    let is_same = roster.admitted.is_empty() && there.identities == roster.digest(true);
    let revision = applying::number(Some(there.desired.there()), is_same);
    let next = Next { layout: &layout, key, there: &there, present: &present };
    let wanted = next.wanted(roster, &Revision { space: there.desired.space.clone(), number: revision })?;
    let mut writing = next.writing(&wanted)?;
    // The server's former agent no longer has a right to its place, and would keep the new agent out.
    let is_named = |server: &Name| named.contains(server) || there.admitting.get(server) == Some(&true);
    let admitting: IndexMap<Name, bool> = admitted.iter().map(|server| (server.clone(), is_named(server))).collect();
    let replaced = admitting.iter().filter(|(_, is_named)| **is_named).map(|(server, _)| server);
    writing.replace_agents(&wanted, replaced);
    let mut changes = Changes::between(&layout, &present, &wanted, revision);
    changes.rights = writing.rights.iter().map(ToString::to_string).collect();
    let identities = wanted.roster.digest(true);
    let desired = next.desired_revision(&wanted, revision);
    if revision == there.desired.revision {
        let mut turn = Turn::resume(store, &layout, &present.seen, &there)?;
        Box::pin(writing.finish(&mut turn, &wanted, there.clone())).await?;
    } else {
        let renewing = doing.is_renewal();
        let deployed = Deployed { desired, identities, turn: None, admitting, renewing, ..there };
        Box::pin(writing.carry_out(store, &layout, &present, &wanted, &deployed)).await?;
    }
    Ok(Admission { revision, admitted, keys, on_credentials, silent, changes })
}

/// The present deployment, and the servers to admit.
pub(super) struct Found {
    pub(super) layout: Layout,
    pub(super) there: Deployed,
    pub(super) present: Present,
    pub(super) roster: Roster,
}

/// The purpose of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Show what would be admitted.
    Looks,
    /// Show which renewed keys, endorsed by the previous keys, would be admitted.
    LooksRenewed,
    /// Admit keys.
    Admits,
    /// Admit renewed keys that the previous keys have endorsed.
    Renews,
    /// Write without admitting any key.
    Forgets,
}

impl Doing {
    fn is_renewal(self) -> bool {
        matches!(self, Self::LooksRenewed | Self::Renews)
    }

    fn writes(self) -> bool {
        matches!(self, Self::Admits | Self::Renews | Self::Forgets)
    }
}

pub(super) async fn find(
    signed: &Arc<Signed>,
    stack: &str,
    named: &[Name],
    only: Option<Fingerprint>,
    doing: Doing,
) -> Result<Found, SeedError> {
    names::check("stack", stack)?;
    let store: &Arc<dyn Store> = &(Arc::clone(signed) as Arc<dyn Store>);
    let layout = Layout::new(stack);
    let there = present::deployed(store, &layout).await?;
    let is_deployed = |there: &(Deployed, _)| {
        there.0.announces && (there.0.desired.applying.is_none() || !there.0.admitting.is_empty())
    };
    let there = there.filter(is_deployed).ok_or_else(|| not_deployed(signed, &layout))?;
    let there = if doing.writes() && there.0.desired.there().is_being_written() {
        turn::end_another(store, &layout, there).await?
    } else {
        there
    };
    let present = Present::read(store, &layout, Some(there.clone()), false).await?;
    insist(signed, &layout, &present).await?;
    let there = there.0;
    let is_active = |server: &Name| present.plans.get(server).is_some_and(|plan| !plan.retired);
    let unknown: Vec<String> = named.iter().filter(|server| !is_active(server)).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        return Err(SeedError::NoServer { stack: stack.to_owned(), servers: unknown });
    }
    let only = named.first().zip(only);
    let all: Vec<Name> = named.iter().chain(there.admitting.keys()).cloned().collect();
    let (space, endorsed) = (there.desired.space.as_ref(), doing.is_renewal() || there.renewing);
    let newcomers = !endorsed && doing != Doing::Forgets;
    let admitting = Admitting { newcomers, named: &all, only, endorsed, space, now: clock::now() };
    let roster = roster(&layout, &present, admitting)?;
    if let Some(((server, _), announced)) = only.zip(roster.other) {
        return Err(SeedError::OtherAnnounced { server: server.to_string(), announced });
    }
    Ok(Found { layout, there, present, roster })
}

/// The servers that have not left the model. The operator must have signed the identity of each.
///
/// # Errors
/// [`SeedError::Unreadable`] for a server whose identity is not signed.
pub(super) fn roster(layout: &Layout, present: &Present, admitting: Admitting<'_>) -> Result<Roster, SeedError> {
    let active = || present.plans.iter().filter(|(_, plan)| !plan.retired).map(|(server, _)| server);
    let roster = Roster::of_records(layout, active(), &present.register, admitting);
    match active().find(|server| !roster.servers.contains_key(*server)) {
        Some(server) => Err(SeedError::Unreadable { server: server.to_string() }),
        None => Ok(roster),
    }
}

/// The present deployment with other keys.
pub(super) struct Next<'a> {
    pub(super) layout: &'a Layout,
    pub(super) key: &'a OperatorKey,
    pub(super) there: &'a Deployed,
    pub(super) present: &'a Present,
}

impl Next<'_> {
    /// The nodes to write: recipes and the files of the deployment are unchanged.
    pub(super) fn writing(&self, wanted: &Wanted) -> Result<Writing, SeedError> {
        let mut writing = Writing::make(self.layout, None, self.present, wanted)?;
        writing.keep(deployed::shared(self.layout, &self.present.files, &wanted.sharing.access()));
        Ok(writing)
    }

    /// The servers' view: the same seed, as another revision.
    pub(super) fn desired_revision(&self, wanted: &Wanted, revision: u64) -> DesiredRevision {
        let DesiredRevision { space, digest, .. } = &self.there.desired;
        desired_revision(wanted, self.key, revision, space.clone(), digest.clone())
    }

    pub(super) fn wanted(&self, roster: Roster, revision: &Revision) -> Result<Wanted, SeedError> {
        let present = self.present;
        let principals = roster.principals();
        let (active, retired): (Vec<_>, Vec<_>) = present.plans.iter().partition(|(_, plan)| !plan.retired);
        let entries = Self::entries(&active, &principals);
        let mut sealing = ForServers::new(self.key, &roster, present);
        let mut plans = IndexMap::with_capacity_and_hasher(present.plans.len(), Default::default());
        let readers = readers(&active);
        for (server, plan) in &active {
            let mut plan = (*plan).clone();
            if is_another(present, &principals, server) {
                plan = sealing.reseal(server, plan)?;
            }
            for (component, planned) in &mut plan.components {
                for (output, planned) in planned.outputs.iter_mut().filter(|(_, output)| !output.recipients.is_empty())
                {
                    let others = readers.get(&*format!("{server}/{component}/{output}")).into_iter().flatten();
                    let all: IndexSet<&Name> = std::iter::once(*server).chain(others.copied()).collect();
                    let now = all.into_iter().filter_map(|reader| Some(roster.identity(reader)?.recipient.clone()));
                    let now: IndexSet<String> = now.collect();
                    // The order is that of the seed.
                    if now != planned.recipients.iter().cloned().collect::<IndexSet<_>>() {
                        planned.recipients = now.into_iter().collect();
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
        plans.extend(
            retired.iter().map(|(server, plan)| ((*server).clone(), present.left_behind(server, plan, revision))),
        );
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

    /// The rights to all entries.
    fn entries(plans: &[(&Name, &ServerPlan)], principals: &HashMap<Name, Principal>) -> IndexMap<Name, Access> {
        let mut granted = rights::granted(plans.iter().copied(), principals);
        let names = plans.iter().flat_map(|(server, plan)| rights::written(server, plan));
        names.filter_map(|name| granted.remove(&name).map(|access| (Name::from(name), access))).collect()
    }
}

/// The readers of each entry, according to these plans.
fn readers<'p>(plans: &[(&'p Name, &'p ServerPlan)]) -> HashMap<Name, IndexSet<&'p Name>> {
    let mut found: HashMap<Name, IndexSet<&Name>> = HashMap::new();
    for (server, plan) in plans {
        for component in plan.components.values() {
            component.sources(&mut |source| {
                for entry in source.leaves().filter_map(Held::entry) {
                    found.entry(entry.clone()).or_default().insert(server);
                }
            });
        }
    }
    found
}
