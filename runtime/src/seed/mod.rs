//! Seeds: from what `emit` wrote to what the data space of a stack holds, and away again.
//!
//! [`apply`] makes the data space what a seed and an operator's parameters ask for, as the next revision; [`diff`] says
//! what that would change; [`delete`] removes a stack. All three may be broken off anywhere and repeated. What lives here:
//! who may read what, in which order things are written, and the operator's files. What must not: I/O on the data space
//! but through [`Store`].

mod changes;
mod credentials;
mod delete;
mod deployed;
mod error;
mod given;
mod imports;
mod naming;
mod present;
mod rights;
mod sealing;
mod turn;
mod wanted;
mod write;

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use wattle::lower::Seed;
use wattle::lower::seed::FORMAT;
use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::applying;
use wattle_agent_core::hex;
use wattle_agent_core::planning::{ImportKey, Planning};

use crate::clock;
use crate::space::{Goal, Layout, OperatorKey, Revision, Source};
use crate::store::{Principal, Store};

pub use changes::{Change, Changes, ComponentChange, Delta, ServerChanges};
pub use credentials::{Credentials, read_operator_key, write_operator_key};
pub use delete::delete;
pub use deployed::{Files, Snapshot, concealed, deployed, picture};
pub use error::SeedError;
pub(crate) use error::lacking;
use error::unknown_server;
pub use given::Given;

use deployed::Keeping;
use present::{Deployed, Present};
use turn::{Seen, Turn};
use wanted::{Building, Wanted};
use write::Writing;

/// How a seed is applied.
#[derive(Clone, Debug)]
pub struct Options {
    /// The stack's name, if not the seed's.
    pub stack: Option<String>,
    /// What parameters are.
    pub given: Given,
    /// The operator's.
    pub key: OperatorKey,
    /// Those of the servers that have one. [`Credentials::complete`] makes the others: who keeps them in a file does so
    /// before, so that none is lost that is in use.
    pub credentials: Credentials,
    /// Whether an unchanged seed is a new revision: what failed is tried again.
    pub again: bool,
    /// What of the deployment's files the data space is to keep, for `plan` and for pictures; nothing by default.
    pub files: Files,
    /// Whether servers that run may get other credentials than they have. Heat replaces such servers.
    pub renew: bool,
}

impl Options {
    /// With nothing given.
    pub fn new(key: OperatorKey) -> Self {
        Self {
            stack: None,
            given: Given::default(),
            key,
            credentials: Credentials::new(),
            files: Files::default(),
            again: false,
            renew: false,
        }
    }
}

/// A seed that is applied.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The stack.
    pub stack: String,
    /// The revision that it is now: a new one, unless [`Changes::is_empty`].
    pub revision: u64,
    /// What has changed.
    pub changes: Changes,
    /// The servers', with those that were made.
    pub credentials: Credentials,
}

/// Makes the data space of a stack what `seed` asks for, as the next revision; one that is so already stays as it is.
/// `store` is used as the operator.
///
/// # Errors
/// What is wrong with the parameters, the imports or the sizes is told before anything is written. What is broken off
/// later is fixed by the next call.
pub async fn apply(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Applied, SeedError> {
    let work = Work::prepare(store, seed, options).await?;
    let applied = |revision, changes, credentials| Applied {
        stack: work.layout.stack().to_owned(),
        revision,
        changes,
        credentials,
    };
    if let Some((there, version)) = present::deployed(store, &work.layout).await?
        && there.goal.applying.is_none()
        && work.is(&there)
        && !options.again
    {
        let revision = there.goal.revision;
        let there = (there, version);
        let before = Seen::read(store, &work.layout, Some(&there)).await?;
        let turn = Turn::resume(store, &work.layout, &before, &there.0)?;
        deployed::renew(&turn, &work.keeping(seed, options, revision)).await?;
        return Ok(applied(revision, unchanged(&work, seed, revision), work.credentials.clone()));
    }
    turn::end_another(store, &work.layout).await?;
    let found = Box::pin(work.compare(store, seed, options)).await?;
    let Found { present, wanted, writing, changes, goal } = found;
    match &present.deployed {
        Some((there, _)) if goal.goal.revision == there.goal.revision => {
            let mut turn = Turn::resume(store, &work.layout, &present.seen, there)?;
            Box::pin(writing.finish(&mut turn, &wanted, there.clone())).await?;
            deployed::renew(&turn, &work.keeping(seed, options, there.goal.revision)).await?;
        }
        _ => Box::pin(writing.carry_out(store, &work.layout, &present, &wanted, &goal)).await?,
    }
    Ok(applied(goal.goal.revision, changes, work.credentials.clone()))
}

/// What [`apply`] would change, without changing anything.
///
/// # Errors
/// As [`apply`].
pub async fn diff(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Changes, SeedError> {
    let work = Work::prepare(store, seed, options).await?;
    Ok(work.compare(store, seed, options).await?.changes)
}

/// Judges what needs no data space: the seed's format, the stack's name, parameters and what is required of them.
///
/// # Errors
/// What is wrong with them, as [`apply`] tells it.
pub fn judge(seed: &Seed, options: &Options) -> Result<(), SeedError> {
    judged(seed, options).map(drop)
}

/// The stack's name, and the values of parameters.
fn judged<'s>(seed: &'s Seed, options: &'s Options) -> Result<(&'s str, IndexMap<Name, Value>), SeedError> {
    if seed.format != FORMAT {
        return Err(SeedError::Format { format: seed.format.to_string() });
    }
    let stack = options.stack.as_deref().unwrap_or(&seed.stack);
    check_name(stack)?;
    Ok((stack, options.given.resolve(seed)?))
}

/// What is known before the stack is looked at.
struct Work {
    layout: Layout,
    parameters: IndexMap<Name, Value>,
    imports: IndexMap<ImportKey, Source>,
    credentials: Credentials,
    principals: HashMap<Name, Principal>,
    member: Principal,
    digest: String,
    given: String,
}

/// What is there, and what is to be done about it.
struct Found {
    present: Present,
    wanted: Wanted,
    writing: Writing,
    changes: Changes,
    goal: Deployed,
}

impl Work {
    async fn prepare(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Self, SeedError> {
        let (stack, parameters) = judged(seed, options)?;
        let imports = imports::resolve(store, seed, stack).await?;
        let mut credentials = options.credentials.clone();
        credentials.complete(seed);
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
        let imports = self.imports.iter().collect::<Vec<_>>();
        let parts = (&self.parameters, imports, &self.member, principals);
        let text = serde_json::to_vec(&parts).expect("INVARIANT: names, values and sources are JSON");
        let key = Sha256::digest(format!("wattle: digest of what is given, 2\n{}", key.expose()));
        let inner = Sha256::new().chain_update(key).chain_update(&text).finalize();
        let outer = Sha256::new().chain_update(key).chain_update(inner).finalize();
        hex(&outer)
    }

    fn keeping<'a>(&'a self, seed: &'a Seed, options: &'a Options, revision: u64) -> Keeping<'a> {
        let (layout, files, given, key) = (&self.layout, &options.files, &options.given, &options.key);
        Keeping { layout, seed, files, given, key, member: &self.member, revision }
    }

    fn is(&self, there: &Deployed) -> bool {
        there.goal.digest == self.digest && there.given == self.given
    }

    async fn compare(&self, store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Found, SeedError> {
        let present = Present::read(store, &self.layout).await?;
        let there = present.deployed.as_ref().map(|(there, _)| there);
        if !options.renew && there.is_some_and(|there| there.goal.revision > 0) {
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
            planning: Planning { seed, parameters: &self.parameters, imports: &self.imports },
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
        let goal = Goal {
            revision,
            space,
            digest: self.digest.clone(),
            applying: None,
            operator: Some(options.key.login().principal()),
        };
        Ok(Found {
            present,
            wanted,
            writing,
            changes,
            goal: Deployed { goal, given: self.given.clone(), turn: None, places: true },
        })
    }
}

/// What is said of a seed that is as it was.
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
        ..Changes::default()
    }
}

/// Refuses a name that is no part of a path, or of a login (ZooKeeper's digest scheme ends a name at a colon).
pub(crate) fn check_name(name: &str) -> Result<(), SeedError> {
    let refuse = |why| Err(SeedError::Name { name: name.to_owned(), why });
    match name {
        "" => refuse("it is empty"),
        "." | ".." => refuse("it means a place of its own in a path"),
        _ if name.contains(['/', ':']) => refuse("it has a `/` or a `:`"),
        _ if name.chars().any(char::is_control) => refuse("it has a character that cannot be seen"),
        _ => Ok(()),
    }
}
