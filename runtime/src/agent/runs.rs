//! Processes that runs leave behind: they stay if the end of the run is in the journal, and are killed otherwise.

use std::fs;
use std::path::Path;

use wattle_agent_core::memory::Memory;
use wattle_agent_core::record::Record;

use crate::recipe;

/// Settles the runs that end in these `records` of the journal: their remaining processes stay.
pub(super) fn settle(state: &Path, records: &[Record]) {
    for record in records {
        if let Record::Finished { component, .. } | Record::Failed { component, .. } | Record::Gone { component } =
            record
        {
            settle_one(&state.join("run").join(&**component));
        }
    }
}

fn settle_one(directory: &Path) {
    if let Err(error) = recipe::settle_former(directory) {
        tracing::warn!("cannot record that what ran in `{}` has ended: {error}", directory.display());
    }
}

/// Kills the processes that a killed agent left behind, if the end of their run is not in the journal. Those recipes
/// run again, or never again. With a `memory`, processes of ended runs stay.
pub(super) fn end_former(state: &Path, memory: Option<&Memory>) {
    for folder in fs::read_dir(state.join("run")).into_iter().flatten().flatten() {
        let (name, path) = (folder.file_name(), folder.path());
        if name.to_str().is_some_and(|name| memory.is_some_and(|memory| has_ended(memory, name))) {
            settle_one(&path);
        } else if let Err(error) = recipe::end_former(&path) {
            tracing::warn!("cannot end the processes that ran in `{}`: {error}", path.display());
        }
    }
}

fn has_ended(memory: &Memory, component: &str) -> bool {
    let failed = |revision| memory.failed(component, revision).is_some();
    memory.known(component).is_some_and(|known| known.finished.is_some() || failed(&known.revision))
}
