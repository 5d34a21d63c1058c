//! What one call of [`apply`](super::apply) or [`diff`](super::diff) knows, and what it finds out.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use wattle::lower::Seed;
use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::applying;
use wattle_agent_core::hex;
use wattle_agent_core::planning::Planning;
use wattle_words::names::some;

use crate::clock;
use crate::space::{Credential, Goal, Layout, NotSigned, Numbers, OperatorKey, Revision};
use crate::store::{Principal, Store, Version};

use super::changes::{Change, Changes, ComponentChange, ServerChanges};
use super::deployed::Keeping;
use super::imports::Imports;
use super::operator::Signed;
use super::present::{Deployed, Present};
use super::turn::{Seen, Turn};
use super::wanted::{Building, Wanted};
use super::write::Writing;
use super::{Credentials, Options, SeedError, Tampered, deployed, imports, judged, naming, wanted};

/// How long a revision counts for servers that have not been told of it yet.
const COUNTS: Duration = Duration::from_hours(365 * 24);

/// What is known before the stack is looked at.
pub(super) struct Work {
    pub(super) layout: Layout,
    parameters: IndexMap<Name, Value>,
    imports: Imports,
    pub(super) credentials: Credentials,
    principals: HashMap<Name, Principal>,
    pub(super) member: Principal,
    digest: String,
    given: String,
}

/// What is there, and what is to be done about it.
pub(super) struct Found {
    pub(super) present: Present,
    pub(super) wanted: Wanted,
    pub(super) writing: Writing,
    pub(super) changes: Changes,
    pub(super) goal: Deployed,
}

impl Work {
    pub(super) async fn prepare(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Self, SeedError> {
        let (stack, parameters) = judged(seed, options)?;
        let imports = imports::resolve(store, seed, stack).await?;
        let mut credentials = options.credentials.clone();
        credentials.complete(seed, &options.key);
        let authority = options.key.signer().authority();
        let believes_another = |server: &&Name| {
            let believed = credentials.get(server).and_then(Credential::authority);
            believed.is_some_and(|believed| believed != authority)
        };
        let others: Vec<String> = seed.servers.keys().filter(believes_another).map(ToString::to_string).collect();
        if !others.is_empty() {
            return Err(SeedError::OtherKey { servers: others });
        }
        let mut work = Self {
            layout: Layout::new(stack),
            parameters,
            imports,
            principals: wanted::principals(stack, seed, &credentials),
            member: credentials.member(stack),
            credentials,
            digest: seed.digest.clone(),
            given: String::new(),
        };
        work.given = work.digest_of_given(seed, &options.key);
        Ok(work)
    }

    /// A digest of all that plans and rights stand on besides the seed: parameters, imports, credentials. It is keyed, so
    /// that whoever sees it cannot try which secret gives it.
    fn digest_of_given(&self, seed: &Seed, key: &OperatorKey) -> String {
        let principals = seed.servers.keys().filter_map(|server| self.principals.get(server)).collect::<Vec<_>>();
        let keys = seed.servers.keys().filter_map(|server| self.credentials.get(server)?.key());
        let keys = keys.map(|key| key.to_string()).collect::<Vec<_>>();
        let imports = (self.imports.sources.iter().collect::<Vec<_>>(), &self.imports.keys);
        let parts = (&self.parameters, imports, &self.member, principals, keys);
        let text = serde_json::to_vec(&parts).expect("INVARIANT: names, values and sources are JSON");
        let key = Sha256::digest(format!("wattle: digest of what is given, 3\n{}", key.expose()));
        let inner = Sha256::new().chain_update(key).chain_update(&text).finalize();
        let outer = Sha256::new().chain_update(key).chain_update(inner).finalize();
        hex(&outer)
    }

    pub(super) fn keeping<'a>(&'a self, seed: &'a Seed, options: &'a Options, revision: u64) -> Keeping<'a> {
        let (layout, files, given, key) = (&self.layout, &options.files, &options.given, &options.key);
        Keeping { layout, seed, files, given, key, member: &self.member, revision }
    }

    pub(super) fn is(&self, there: &Deployed) -> bool {
        there.goal.digest == self.digest && there.given == self.given
    }

    /// Refuses a stack of which something is not as its operator has written it.
    pub(super) fn insist(&self, refused: BTreeMap<String, NotSigned>, present: &Present) -> Result<(), SeedError> {
        let nodes = tampered(refused, present);
        let stack = self.layout.stack().to_owned();
        if nodes.is_empty() { Ok(()) } else { Err(SeedError::Tampered { stack, nodes }) }
    }

    /// What the operator should know of the servers' credentials.
    fn unproven(&self, seed: &Seed) -> Option<String> {
        let of_before = |server: &&Name| self.credentials.get(server).is_some_and(|one| one.authority().is_none());
        let servers: Vec<&str> = seed.servers.keys().filter(of_before).map(|name| &**name).collect();
        (!servers.is_empty()).then(|| {
            format!(
                "the credentials of {} are of before anything was signed, so these servers cannot know whose word counts, and \
                 nobody can tell theirs from somebody else's: `--renew` makes others, with which `openstack stack update` \
                 replaces the servers",
                some(servers.into_iter(), 5)
            )
        })
    }

    /// Does what is to be done for a revision that stays.
    pub(super) async fn stay(
        &self,
        signed: &Arc<Signed>,
        seed: &Seed,
        options: &Options,
        there: (Deployed, Version),
    ) -> Result<(), SeedError> {
        let store: &Arc<dyn Store> = &(Arc::clone(signed) as Arc<dyn Store>);
        let before = Seen::read(store, &self.layout, Some(&there)).await?;
        let present = Present::read(store, &self.layout, Some(there.clone()), false).await?;
        self.insist(signed.refused(), &present)?;
        let mut turn = Turn::resume(store, &self.layout, &before, &there.0)?;
        let mut goal = there.0;
        // Nobody is told of another revision, so it counts for longer.
        if goal.goal.expires.is_some_and(|expires| expires < clock::now() + COUNTS / 2) {
            goal.goal.expires = Some(clock::now() + COUNTS);
            turn.say(&goal).await?;
        }
        deployed::renew(&turn, &self.keeping(seed, options, goal.goal.revision)).await
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
        if !options.renew && (options.restore || there.is_some_and(|there| there.goal.revision > 0)) {
            let other = |(server, before): (&Name, _)| {
                let active = present.plans.get(server).is_some_and(|plan| !plan.retired);
                (active && self.principals.get(server).is_some_and(|now| now != before)).then(|| server.to_string())
            };
            let mut servers: Vec<String> = present.principals.iter().filter_map(other).collect();
            if !servers.is_empty() {
                servers.sort();
                return Err(SeedError::Credentials { servers });
            }
        }
        let is_same = there.is_some_and(|there| self.is(there)) && !options.again;
        let revision = applying::number(there.map(|there| there.goal.there()), is_same);
        let space = match there {
            Some(there) => there.goal.space.clone(),
            None => Some(naming::new(store, clock::now()).await?),
        };
        let building = Building {
            planning: Planning {
                seed,
                parameters: &self.parameters,
                imports: &self.imports.sources,
                foreign: &self.imports.keys,
            },
            credentials: &self.credentials,
            principals: self.principals.clone(),
            member: self.member.clone(),
            present: &present,
            revision: Revision { space: space.clone(), number: revision },
            again: options.again,
        };
        let wanted = building.build()?;
        let mut writing = Writing::make(&self.layout, seed, &present, &wanted)?;
        writing.keep(self.keeping(seed, options, revision).steps(&present.files));
        let mut changes = Changes::between(&self.layout, &present, &wanted, revision);
        changes.rights = writing.rights.iter().map(ToString::to_string).collect();
        changes.warnings.clone_from(&writing.warnings);
        changes.warnings.extend(self.unproven(seed));
        let bounded = there.is_some_and(|there| there.bounded);
        let goal = Goal {
            revision,
            space,
            digest: self.digest.clone(),
            applying: None,
            operator: Some(options.key.login().principal()),
            expires: Some(clock::now() + COUNTS),
            plans: Some(Numbers::new(
                wanted.plans.iter().chain(&wanted.retired).map(|(server, plan)| (server, plan.revision)),
            )),
        };
        Ok(Found {
            present,
            wanted,
            writing,
            changes,
            goal: Deployed { goal, given: self.given.clone(), turn: None, places: true, bounded },
        })
    }
}

/// What is not as the operator has written it, by path.
pub(super) fn tampered(refused: BTreeMap<String, NotSigned>, present: &Present) -> Vec<Tampered> {
    let refused = refused.into_iter().map(|(node, why)| Tampered { node, why: why.to_string() });
    let mut nodes: Vec<Tampered> = refused.chain(present.replaced.iter().cloned()).collect();
    nodes.sort_unstable_by(|a, b| a.node.cmp(&b.node));
    nodes
}

/// What is said of a seed that is as it was.
pub(super) fn unchanged(work: &Work, seed: &Seed, revision: u64) -> Changes {
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
