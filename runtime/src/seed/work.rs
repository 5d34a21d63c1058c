//! The inputs and results of one call of [`apply`](super::apply) or [`diff`](super::diff).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use wattle::lower::Seed;
use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::applying;
use wattle_agent_core::hex;
use wattle_agent_core::planning::Planning;
use wattle_words::names::some;

use crate::clock;
use crate::space::{
    Credential, DesiredRevision, Layout, NotOurs, NotTheirs, Numbers, OperatorKey, Record, Revision, Signed, signed_by,
};
use crate::store::{Access, Principal, Store, Version};

use super::changes::{Change, Changes, ComponentChange, ServerChanges};
use super::deployed::Keeping;
use super::imports::Imports;

use super::present::{Deployed, Present};
use super::roster::{Admitting, Register, Roster};
use super::sharing::{Sharing, has_left};
use super::turn::{Seen, Turn};
use super::wanted::{Building, Wanted};
use super::write::Writing;
use super::{Credentials, Options, SeedError, Tampered, deployed, imports, judged, naming};

/// The inputs known before the stack is read.
pub(super) struct Work {
    pub(super) layout: Layout,
    parameters: IndexMap<Name, Value>,
    imports: Imports,
    pub(super) credentials: Credentials,
    digest: String,
    given: String,
}

/// The present state, and what to do about it.
pub(super) struct Found {
    pub(super) present: Present,
    pub(super) wanted: Wanted,
    pub(super) writing: Writing,
    pub(super) changes: Changes,
    pub(super) desired: Deployed,
}

impl Work {
    pub(super) async fn prepare(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Self, SeedError> {
        let (stack, parameters) = judged(seed, options)?;
        let imports = imports::resolve(store, seed, stack).await?;
        let mut credentials = options.credentials.clone();
        credentials.complete(seed, &options.key);
        credentials = credentials.at(options.key.authorities());
        let mut judged = HashMap::new();
        let mut believes_another = |server: &&Name| {
            let believed = credentials.get(server).and_then(Credential::authority);
            believed.is_some_and(|by| !*judged.entry(by).or_insert_with(|| options.key.is_believed_by(&by)))
        };
        let others: Vec<String> = seed.servers.keys().filter(&mut believes_another).map(ToString::to_string).collect();
        if !others.is_empty() {
            return Err(SeedError::OtherKey { servers: others });
        }
        let mut work = Self {
            layout: Layout::new(stack),
            parameters,
            imports,
            credentials,
            digest: seed.digest.clone(),
            given: String::new(),
        };
        work.given = work.digest_of_given(&options.key);
        Ok(work)
    }

    /// A digest of everything apart from the seed and the identities that plans depend on: parameters and imports. It
    /// is keyed, so that no one who sees it can find a secret by trial.
    fn digest_of_given(&self, key: &OperatorKey) -> String {
        let imports = (self.imports.sources.iter().collect::<Vec<_>>(), &self.imports.keys);
        let parts = (&self.parameters, imports);
        let text = serde_json::to_vec(&parts).expect("INVARIANT: names, values and sources are JSON");
        let key = Sha256::digest(format!("wattle: digest of what is given, 3\n{}", key.expose()));
        let inner = Sha256::new().chain_update(key).chain_update(&text).finalize();
        let outer = Sha256::new().chain_update(key).chain_update(inner).finalize();
        hex(&outer)
    }

    pub(super) fn keeping<'a>(
        &'a self,
        seed: &'a Seed,
        options: &'a Options,
        members: Access,
        revision: u64,
    ) -> Keeping<'a> {
        let (layout, files, given, key) = (&self.layout, &options.files, &options.given, &options.key);
        Keeping { layout, seed, files, given, key, members, revision }
    }

    /// The identities of the servers in the data space of this name.
    fn roster(
        &self,
        seed: &Seed,
        options: &Options,
        there: &Register,
        space: Option<&Name>,
        left: impl Fn(&Name) -> bool,
    ) -> Roster {
        let newcomers = options.admission && !options.renew;
        let admitting = Admitting { newcomers, named: &[], only: None, endorsed: false, space, now: clock::now() };
        Roster::of_credentials(&self.layout, seed.servers.keys(), &self.credentials, there, left, admitting)
    }

    /// Whether the seed and all given values are those that are `there`.
    pub(super) fn is_given(&self, there: &Deployed) -> bool {
        there.desired.digest == self.digest && there.given == self.given
    }

    /// A warning about the servers' credentials, if needed.
    fn unproven(&self, seed: &Seed) -> Option<String> {
        let of_before = |server: &&Name| self.credentials.get(server).is_some_and(|one| one.authority().is_none());
        let servers: Vec<&str> = seed.servers.keys().filter(of_before).map(|name| &**name).collect();
        (!servers.is_empty()).then(|| {
            format!(
                "the credentials of {} are from before anything was signed, so these servers cannot know whom to \
                 trust, and what they write cannot be distinguished from what others write: `--renew` makes new ones, with \
                 which `openstack stack update` replaces the servers",
                some(servers.into_iter(), 5)
            )
        })
    }

    /// Performs the upkeep of an unchanged revision, if its seed [is given](Self::is_given). Returns `None` if the
    /// revision must change, because servers may have changed.
    pub(super) async fn stay(
        &self,
        signed: &Arc<Signed>,
        seed: &Seed,
        options: &Options,
        there: (Deployed, Version),
    ) -> Result<Option<Changes>, SeedError> {
        let store: &Arc<dyn Store> = &(Arc::clone(signed) as Arc<dyn Store>);
        let before = Seen::read(store, &self.layout, Some(&there)).await?;
        let present = Present::read(store, &self.layout, Some(there.clone()), false).await?;
        // The same seed has the same servers.
        let roster = self.roster(seed, options, &present.register, there.0.desired.space.as_ref(), |_| false);
        if there.0.identities != roster.digest(has_places(options, &there.0)) {
            return Ok(None);
        }
        insist(signed, &self.layout, &present).await?;
        let mut turn = Turn::resume(store, &self.layout, &before, &there.0)?;
        let mut desired = there.0;
        // No server is notified of another revision, so extend the validity of this one.
        if desired.desired.expires.is_some_and(|expires| expires < clock::now() + DesiredRevision::COUNTS / 2) {
            desired.desired.expires = Some(clock::now() + DesiredRevision::COUNTS);
            turn.say(&desired).await?;
        }
        let space = desired.desired.space.as_ref();
        let sharing = Sharing::as_it_is(&options.key, (&self.layout, space), present.shared.as_ref());
        deployed::renew(&turn, &self.keeping(seed, options, sharing.access(), desired.desired.revision)).await?;
        let mut changes = unchanged(self, seed, desired.desired.revision);
        changes.warnings.extend(unbound(&roster, &options.key));
        Ok(Some(changes))
    }

    pub(super) async fn compare(
        &self,
        store: &Arc<dyn Store>,
        seed: &Seed,
        options: &Options,
        known: Option<(Deployed, Version)>,
    ) -> Result<Found, SeedError> {
        let present = Present::read(store, &self.layout, known, options.restore).await?;
        let there = present.deployed.as_ref().map(|(there, _)| there);
        let space = match there {
            Some(there) => there.desired.space.clone(),
            None => Some(naming::new(store, clock::now()).await?),
        };
        let left = |server: &Name| present.plans.get(server).is_some_and(|plan| plan.retired);
        let roster = self.roster(seed, options, &present.register, space.as_ref(), left);
        let principals = roster.principals();
        if !options.renew && (options.restore || there.is_some_and(|there| there.desired.revision > 0)) {
            let other = |(server, before): (&Name, &Principal)| {
                let active = present.plans.get(server).is_some_and(|plan| !plan.retired);
                let is_other = active && !roster.admitted.contains(server) && !has_key_of(&roster, &present, server);
                (is_other && principals.get(server).is_some_and(|now| now != before)).then(|| server.to_string())
            };
            let mut servers: Vec<String> = present.principals.iter().filter_map(other).collect();
            if !servers.is_empty() {
                servers.sort();
                return Err(SeedError::Credentials { servers });
            }
        }
        let has_places = there.map_or(options.admission, |there| has_places(options, there));
        let identities = roster.digest(has_places);
        let is_same =
            there.is_some_and(|there| self.is_given(there) && there.identities == identities) && !options.again;
        let revision = applying::number(there.map(|there| there.desired.there()), is_same);
        let former = self.credentials.former_member(self.layout.stack()).filter(|_| roster.has_former());
        let has_left = has_left(&present.active(), &principals);
        let sharing =
            Sharing::new(&options.key, (&self.layout, space.as_ref()), present.shared.as_ref(), has_left, former);
        let building = Building {
            planning: Planning {
                seed,
                parameters: &self.parameters,
                imports: &self.imports.sources,
                foreign: &self.imports.keys,
            },
            key: &options.key,
            roster,
            principals,
            sharing,
            has_places,
            present: &present,
            revision: Revision { space: space.clone(), number: revision },
            again: options.again,
        };
        let wanted = building.build()?;
        let mut writing = Writing::make(&self.layout, Some(seed), &present, &wanted)?;
        let members = wanted.sharing.access();
        writing.keep(self.keeping(seed, options, members, revision).steps(&present.files));
        let mut changes = Changes::between(&self.layout, &present, &wanted, revision);
        changes.rights = writing.rights.iter().map(ToString::to_string).collect();
        changes.warnings.clone_from(&writing.warnings);
        changes.warnings.extend(self.unproven(seed));
        changes.warnings.extend(unbound(&wanted.roster, &options.key));
        changes.warnings.extend(present.register.disowned(&self.layout));
        let bounded = there.is_some_and(|there| there.bounded);
        let desired = desired_revision(&wanted, &options.key, revision, space, self.digest.clone());
        Ok(Found {
            present,
            wanted,
            writing,
            changes,
            desired: Deployed {
                desired,
                given: self.given.clone(),
                identities,
                turn: None,
                places: true,
                bounded,
                // The caller sets this.
                closed: false,
                // This is determined when it is written.
                moved: false,
                announces: has_places,
                rotates: false,
                admitting: IndexMap::default(),
                renewing: false,
            },
        })
    }
}

/// Whether a server has the same key as before, whatever its password.
pub(super) fn has_key_of(roster: &Roster, present: &Present, server: &Name) -> bool {
    let before = present.register.records.get(server).and_then(Record::registered);
    before.zip(roster.identity(server)).is_some_and(|(before, now)| now.has_key_of(before.identity()))
}

/// A warning about servers' passwords, if needed.
pub(super) fn unbound(roster: &Roster, key: &OperatorKey) -> Option<String> {
    let servers: Vec<&str> = roster.unbound().map(|name| &**name).filter(|_| !key.authorities().is_empty()).collect();
    (!servers.is_empty()).then(|| {
        format!(
            "the passwords of {} are from before each was bound to one certificate authority, so anyone who runs \
             another store that such a server connects to learns what opens this one: put the new `wattle-agent` on \
             the server, then run `wattle seed admit`; or `--renew` makes new credentials, with which `openstack stack \
             update` replaces the servers",
            some(servers.into_iter(), 5)
        )
    })
}

/// Whether servers can make announcements.
fn has_places(options: &Options, there: &Deployed) -> bool {
    options.admission || there.announces
}

/// The desired revision as servers receive it.
pub(super) fn desired_revision(
    wanted: &Wanted,
    key: &OperatorKey,
    revision: u64,
    space: Option<Name>,
    digest: String,
) -> DesiredRevision {
    let plans = wanted.plans.iter().chain(&wanted.retired);
    DesiredRevision {
        revision,
        space,
        digest,
        applying: None,
        operator: Some(key.login().principal()),
        expires: Some(clock::now() + DesiredRevision::COUNTS),
        plans: Some(Numbers::new(plans.map(|(server, plan)| (server, plan.revision)))),
    }
}

/// Why a stack without a desired revision to continue from is refused: someone has changed it, or it is incomplete.
pub(super) fn not_deployed(signed: &Signed, layout: &Layout) -> SeedError {
    let (stack, nodes) = (layout.stack().to_owned(), tampered(signed.refused(), &Present::default()));
    if nodes.is_empty() { SeedError::Incomplete { stack } } else { SeedError::Tampered { stack, nodes } }
}

/// Refuses a stack with any node that differs from what its operator has written.
///
/// # Errors
/// [`SeedError::Tampered`] for such nodes, and [`SeedError::Busy`] if another writer has begun since they were read.
pub(super) async fn insist(signed: &Arc<Signed>, layout: &Layout, present: &Present) -> Result<(), SeedError> {
    let nodes = tampered(signed.refused(), present);
    if nodes.is_empty() {
        return Ok(());
    }
    present.seen.confirm(&(Arc::clone(signed) as Arc<dyn Store>), layout).await?;
    Err(SeedError::Tampered { stack: layout.stack().to_owned(), nodes })
}

/// The nodes that differ from what the operator has written, by path.
pub(super) fn tampered(refused: BTreeMap<String, NotOurs>, present: &Present) -> Vec<Tampered> {
    let keys = present.register.keys();
    let refused = refused.into_iter().map(|(node, NotOurs { why, data })| {
        let writer = signed_by(keys.iter().copied(), &node, &data).cloned();
        let is_former = matches!(why, NotTheirs::Former { .. });
        Tampered { node, why: why.to_string(), writer, is_former }
    });
    let mut nodes: Vec<Tampered> = refused.chain(present.replaced.iter().cloned()).collect();
    nodes.sort_unstable_by(|a, b| a.node.cmp(&b.node));
    nodes
}

/// The report for an unchanged seed.
fn unchanged(work: &Work, seed: &Seed, revision: u64) -> Changes {
    let component = |name: &Name| (name.clone(), ComponentChange { change: Change::Unchanged, what: Vec::new() });
    let servers = seed.servers.iter().map(|(name, server)| {
        let components = server.components.keys().map(component).collect();
        (name.clone(), ServerChanges { change: Change::Unchanged, components })
    });
    Changes {
        stack: work.layout.stack().to_owned(),
        from: Some(revision),
        to: revision,
        servers: servers.collect(),
        warnings: work.unproven(seed).into_iter().collect(),
        ..Changes::default()
    }
}
