//! Seeds: converts the output of `emit` to the contents of a stack's data space, and removes them again.
//!
//! [`apply`] brings the data space to the state described by a seed and an operator's parameters, as the next revision.
//! [`diff`] reports what that would change, and [`delete`] removes a stack. All three can be interrupted anywhere and
//! repeated. This module decides who can read what and in which order nodes are written, and handles the operator's
//! files. It must access the data space only through [`Store`].

mod admit;
mod adopt;
mod bounds;
mod changes;
mod credentials;
mod delete;
mod deployed;
mod error;
mod exceeding;
mod forget;
mod given;
mod imports;
mod log_request;
mod names;
mod naming;
mod places;
mod present;
mod removal;
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

use crate::space::{OperatorKey, ROOT, Signed};
use crate::store::{Open, Store};

pub use admit::{Admission, Waiting, admit, admit_only, waiting};
pub use adopt::{Unnamed, adopt, is_unknown};
pub use changes::{Change, Changes, ComponentChange, Delta, ServerChanges};
pub(crate) use credentials::write_secret;
pub use credentials::{Credentials, note_space_of_key, read_operator_key, spaces_of_key, write_operator_key};
pub use delete::{delete, delete_counting};
pub(crate) use deployed::chosen;
pub use deployed::{Files, Snapshot, concealed, deployed, diagram};
pub(crate) use error::lacking;
use error::unknown_server;
pub use error::{Beside, SeedError, Tampered};
pub use forget::{Forgotten, forget};
pub use given::Given;
pub(crate) use given::fit;
pub(crate) use names::check_all as check_names;

pub use log_request::{LogRequested, ask_for_log, ask_no_more};
pub use renew::{admit_renewed, renew};
pub use rotate::{Rotation, rotatable, rotate, rotate_top};

use present::{AT_ONCE, Deployed};
use turn::Turn;
use work::{Found, Work, insist, tampered};

/// Options for applying a seed.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the options are independent")]
pub struct Options {
    /// The name of the stack, if it differs from the seed's.
    pub stack: Option<String>,
    /// The values of parameters.
    pub given: Given,
    /// The operator's key.
    pub key: OperatorKey,
    /// The servers' existing credentials. [`Credentials::complete`] creates missing ones. A caller that keeps them in a
    /// file does so before applying, so that no credential in use gets lost.
    pub credentials: Credentials,
    /// Whether an unchanged seed makes a new revision, which retries what failed.
    pub again: bool,
    /// The files of the deployment to keep in the data space, for `plan` and for diagrams. None by default.
    pub files: Files,
    /// Whether to restore nodes that differ from what this operator has written. A new data space then begins.
    pub restore: bool,
    /// Whether servers announce their own keys, which are admitted in place of their credentials.
    pub admission: bool,
    /// Whether running servers may get new credentials. Heat replaces such servers.
    pub renew: bool,
}

impl Options {
    /// Creates options with default values.
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

/// The result of [`apply`].
#[derive(Clone, Debug)]
pub struct Applied {
    /// The stack.
    pub stack: String,
    /// Its present revision: a new one, unless [`Changes::is_empty`].
    pub revision: u64,
    /// What has changed.
    pub changes: Changes,
    /// The servers' credentials, including new ones.
    pub credentials: Credentials,
}

/// The warning if servers have no quota.
const UNBOUNDED: &str = "the space that a server uses in the data space cannot be limited: `/zookeeper/quota` or \
                         `/zookeeper/quota/wattle` belongs to someone else; ZooKeeper's superuser can remove that node";

/// The warning that anyone may create nodes beside the data space.
fn open_to_all(Open { path, others }: &Open) -> String {
    let shown: Vec<String> = others.iter().take(3).map(|name| format!("`{name}`")).collect();
    let why = match shown.as_slice() {
        [] => "this operator has no right to change that".to_owned(),
        shown => format!("others use it ({})", shown.join(", ")),
    };
    format!(
        "anyone who can connect to this ZooKeeper can fill or stop it: `{path}` is open to all, and {why}; use a ZooKeeper for \
         wattle alone, or have its administrator close the node (`setAcl {path} world:anyone:r`)"
    )
}

/// Brings the data space of a stack to the state that `seed` describes, as the next revision. If it is in that state,
/// nothing changes. `store` is used as the operator.
///
/// # Errors
/// Errors in parameters, imports or sizes are reported before anything is written. The next call completes an
/// interrupted one.
pub async fn apply(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Applied, SeedError> {
    let signed = Signed::new(store, &options.key);
    let store: &Arc<dyn Store> = &(Arc::clone(&signed) as Arc<dyn Store>);
    let work = Work::prepare(store, seed, options).await?;
    let there = present::deployed(store, &work.layout).await?;
    let is_closed = !options.restore && there.as_ref().is_some_and(|(there, _)| there.closed);
    let open = if is_closed { Vec::new() } else { store.close_off(ROOT).await? };
    let left_open: Vec<String> = open.iter().map(open_to_all).collect();
    let applied = |revision, mut changes: Changes, credentials| {
        changes.warnings.extend(left_open.iter().cloned());
        Applied { stack: work.layout.stack().to_owned(), revision, changes, credentials }
    };
    let mut begun = None;
    let is_believed = there.as_ref().is_some_and(|(there, _)| !there.is_to_be_cleared());
    if !is_believed || options.restore {
        let prepared = restore::prepare(store, &work.layout, &options.key, there.as_ref(), options.restore);
        begun = Box::pin(prepared).await?;
    }
    if let Some(there) = &there
        && there.0.desired.applying.is_none()
        && !options.again
        && !options.restore
        && work.is_given(&there.0)
        && let Some(unchanged) = Box::pin(work.stay(&signed, seed, options, there.clone())).await?
    {
        return Ok(applied(there.0.desired.revision, unchanged, work.credentials.clone()));
    }
    let is_being_written = |there: &Deployed| there.desired.there().is_being_written();
    let known = match begun.or(there) {
        Some(there) if !options.restore && is_believed && is_being_written(&there.0) => {
            Some(Box::pin(turn::end_another(store, &work.layout, there)).await?)
        }
        there => there,
    };
    let found = Box::pin(work.compare(store, seed, options, known)).await?;
    if !options.restore {
        insist(&signed, &work.layout, &found.present).await?;
    }
    let Found { present, wanted, writing, mut changes, mut desired } = found;
    desired.closed = left_open.is_empty();
    match &present.deployed {
        Some((there, _)) if desired.desired.revision == there.desired.revision => {
            let mut turn = Turn::resume(store, &work.layout, &present.seen, there)?;
            Box::pin(writing.finish(&mut turn, &wanted, there.clone())).await?;
            let keeping = work.keeping(seed, options, wanted.sharing.access(), there.desired.revision);
            Box::pin(deployed::renew(&turn, &keeping)).await?;
        }
        _ => {
            if !Box::pin(writing.carry_out(store, &work.layout, &present, &wanted, &desired)).await? {
                changes.warnings.push(UNBOUNDED.to_owned());
            }
        }
    }
    Ok(applied(desired.desired.revision, changes, work.credentials.clone()))
}

/// Returns what [`apply`] would change, without changing anything. Also reports rights that were not granted by the
/// operator.
///
/// # Errors
/// As for [`apply`].
pub async fn diff(store: &Arc<dyn Store>, seed: &Seed, options: &Options) -> Result<Changes, SeedError> {
    let signed = Signed::new(store, &options.key);
    let store: &Arc<dyn Store> = &(Arc::clone(&signed) as Arc<dyn Store>);
    let work = Work::prepare(store, seed, options).await?;
    let Found { present, mut changes, .. } = work.compare(store, seed, options, None).await?;
    // Also check nodes that did not have to be read so far.
    let read = present.expected_paths(&work.layout).into_iter().map(|path| async move { store.get(&path).await });
    stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await?;
    changes.tampered = tampered(signed.refused(), &present);
    // This takes a request per node, and is independent of what others write there, so `apply` does not do it.
    changes.tampered.extend(exceeding::exceeding(store, &work.layout, &present, &options.key).await?);
    if !changes.tampered.is_empty() {
        present.seen.confirm(store, &work.layout).await?;
    }
    Ok(changes)
}

/// Checks everything that does not need a data space: the seed's format, the stack's name, the parameters and the
/// requirements on them.
///
/// # Errors
/// The errors that [`apply`] would report.
pub fn judge(seed: &Seed, options: &Options) -> Result<(), SeedError> {
    judged(seed, options).map(drop)
}

/// The stack's name, and the values of parameters.
fn judged<'s>(seed: &'s Seed, options: &'s Options) -> Result<(&'s str, IndexMap<Name, Value>), SeedError> {
    if seed.format != FORMAT {
        return Err(SeedError::Format { format: seed.format.to_string() });
    }
    let stack = options.stack.as_deref().unwrap_or(&seed.stack);
    names::check_given("stack", stack)?;
    names::check_all(seed)?;
    Ok((stack, options.given.resolve(seed)?))
}
