//! A whole topology on one machine: `wattle up`.
//!
//! This module runs the store, the agents and everything that they start as processes of this machine, with addresses
//! and attributes that stand in for OpenStack's. It must not contain terminal output, which belongs to the command.
//!
//! Starting is like booting: the servers' folders persist, but nothing runs. So each `up` makes a new revision, in
//! which every recipe runs again on the existing state, as recipes must allow. Within one `up`, nothing that is
//! finished runs again, whatever happens to agents and however many times another seed is applied.

mod address;
mod agent;
mod agents;
mod boot;
mod environment;
mod error;
mod folder;
mod imports;
mod made;
mod mark;
mod namespaces;
mod processes;
mod programs;
mod proxies;
mod running;
mod sandbox;
mod secrets;
mod servers;
mod simulate;
mod up;

use wattle::lower::Seed;
use wattle::model::IndexMap;

use crate::seed::Given;

pub use boot::Boot;
pub use error::UpError;
pub use folder::{Folder, Lock, Network, Record, below, gone, write_whole};
pub use imports::with_imports;
pub use mark::NotOurs;
pub use processes::{RUN, STATE_DIR};
pub use running::{announce, announced, forget};
pub use sandbox::image::Image;
pub use sandbox::inside::first_process;
pub use up::{Up, Wish, mark, renew, user_data};

/// Ends the processes that a killed `up` has left behind in `folder`. Returns their number.
pub async fn end_left_behind(folder: &Folder) -> usize {
    let ended = processes::end_left_behind(&folder.servers()).await;
    sandbox::clear(folder);
    namespaces::clear();
    ended
}

/// Returns the number of processes that a killed `up` has left behind in `folder`.
pub fn left_behind(folder: &Folder) -> usize {
    processes::left_behind_of(&folder.servers()).len()
}

/// Adds the secrets that were generated for `folder` to `given`.
///
/// # Errors
/// The secrets cannot be read.
pub fn with_secrets(folder: &Folder, seed: &Seed, given: Given) -> Result<Given, UpError> {
    secrets::complete(folder, seed, given, false)
}

/// Returns the values of other stacks that were given to `up` for `folder`, by `STACK:EXPORT`.
///
/// # Errors
/// The values cannot be read.
pub fn imports(folder: &Folder) -> Result<IndexMap<String, String>, UpError> {
    let record = folder.record().map_err(UpError::file(folder.state()))?;
    Ok(record.map(|record| record.imports).unwrap_or_default())
}
