//! Seeds: from what `emit` wrote to what the data space of a stack holds, and away again.
//!
//! [`apply`] makes the data space what a seed and an operator's parameters ask for, as the next revision; [`diff`] says
//! what that would change; [`delete`] removes a stack. All three may be broken off anywhere and repeated. What lives here:
//! who may read what, in which order things are written, and the operator's files. What must not: I/O on the data space
//! but through [`Store`].

mod admit;
mod adopt;
mod changes;
mod credentials;
mod delete;
mod deployed;
mod error;
mod exceeding;
mod forget;
mod given;
mod imports;
mod names;
mod naming;
mod present;
mod renew;
mod restore;
mod rights;
mod roster;
mod rotate;
mod sealing;
mod sharing;
mod turn;
mod wanted;
mod work;
mod write;

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::lower::Seed;
use wattle::lower::seed::FORMAT;
use wattle::model::{IndexMap, Name, Value};

use crate::space::{OperatorKey, Signed};
use crate::store::Store;

pub use admit::{Admission, Waiting, admit, waiting};
pub use adopt::{Unnamed, adopt, is_unknown};
pub use changes::{Change, Changes, ComponentChange, Delta, ServerChanges};
pub(crate) use credentials::write_secret;
pub use credentials::{Credentials, note_space_of_key, read_operator_key, spaces_of_key, write_operator_key};
pub use delete::delete;
pub use deployed::{Files, Snapshot, concealed, deployed, picture};
pub(crate) use error::lacking;
use error::unknown_server;
pub use error::{Beside, SeedError, Tampered};
pub use forget::{Forgotten, forget};
pub use given::Given;
pub(crate) use given::fit;
pub(crate) use names::check_all as check_names;

pub use renew::{admit_renewed, renew};
pub use rotate::{Rotation, rotatable, rotate, rotate_top};

use present::{AT_ONCE, Deployed};
use turn::Turn;
use work::{Found, Work, tampered};

/// How a seed is applied.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked for or not")]
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
    /// Whether what is not as this operator has written it is written anew: then another data space begins.
    pub restore: bool,
    /// Whether servers announce keys of their own, which are admitted in place of their credentials.
    pub admission: bool,
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
            admission: false,
            restore: false,
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

/// What is said where servers are not bounded.
const UNBOUNDED: &str = "how much a server makes in the data space cannot be bounded: `/zookeeper/quota` or `/zookeeper/quota/wattle` is \
                         somebody else's; ZooKeeper's superuser can remove that node";

/// Makes the data space of a stack what `seed` asks for, as the next revision; one that is so already stays as it is.
/// `store` is used as the operator.
///
/// # Errors
/// What is wrong with the parameters, the imports or the sizes is told before anything is written. What is broken off
/// later is fixed by the next call.
pub async fn apply(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Applied, SeedError> {
    let signed = Signed::new(store, &options.key);
    let store: &Arc<dyn Store> = &(Arc::clone(&signed) as Arc<dyn Store>);
    let work = Work::prepare(store, seed, options).await?;
    let applied = |revision, changes, credentials| Applied {
        stack: work.layout.stack().to_owned(),
        revision,
        changes,
        credentials,
    };
    let there = present::deployed(store, &work.layout).await?;
    let mut begun = None;
    let is_believed = there.as_ref().is_some_and(|(there, _)| !there.is_to_be_cleared());
    if !is_believed || options.restore {
        let prepared = restore::prepare(store, &work.layout, &options.key, there.as_ref(), options.restore);
        begun = Box::pin(prepared).await?;
    }
    if let Some(there) = &there
        && there.0.goal.applying.is_none()
        && !options.again
        && !options.restore
        && work.is_given(&there.0)
        && let Some(unchanged) = Box::pin(work.stay(&signed, seed, options, there.clone())).await?
    {
        return Ok(applied(there.0.goal.revision, unchanged, work.credentials.clone()));
    }
    let is_being_written = |there: &Deployed| there.goal.there().is_being_written();
    let known = match begun.or(there) {
        Some(there) if !options.restore && is_believed && is_being_written(&there.0) => {
            Some(Box::pin(turn::end_another(store, &work.layout, there)).await?)
        }
        there => there,
    };
    let found = Box::pin(work.compare(store, seed, options, known)).await?;
    if !options.restore {
        work.insist(signed.refused(), &found.present)?;
    }
    let Found { present, wanted, writing, mut changes, goal } = found;
    match &present.deployed {
        Some((there, _)) if goal.goal.revision == there.goal.revision => {
            let mut turn = Turn::resume(store, &work.layout, &present.seen, there)?;
            Box::pin(writing.finish(&mut turn, &wanted, there.clone())).await?;
            let keeping = work.keeping(seed, options, wanted.sharing.access(), there.goal.revision);
            Box::pin(deployed::renew(&turn, &keeping)).await?;
        }
        _ => {
            if !Box::pin(writing.carry_out(store, &work.layout, &present, &wanted, &goal)).await? {
                changes.warnings.push(UNBOUNDED.to_owned());
            }
        }
    }
    Ok(applied(goal.goal.revision, changes, work.credentials.clone()))
}

/// What [`apply`] would change, without changing anything, and what others may do that nobody has let them.
///
/// # Errors
/// As [`apply`].
pub async fn diff(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Changes, SeedError> {
    let signed = Signed::new(store, &options.key);
    let store: &Arc<dyn Store> = &(Arc::clone(&signed) as Arc<dyn Store>);
    let work = Work::prepare(store, seed, options).await?;
    let Found { present, mut changes, .. } = work.compare(store, seed, options, None).await?;
    // What nobody had to read so far is looked at as well.
    let read = present.told(&work.layout).into_iter().map(|path| async move { store.get(&path).await });
    stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await?;
    changes.tampered = tampered(signed.refused(), &present);
    // It costs a request for each node, and what others write there counts for nothing: so not each `apply` asks.
    changes.tampered.extend(exceeding::exceeding(store, &work.layout, &present, &options.key).await?);
    Ok(changes)
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
    names::check("stack", stack)?;
    names::check_all(seed)?;
    Ok((stack, options.given.resolve(seed)?))
}
