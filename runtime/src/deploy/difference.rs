//! Differences between what exists and what was deployed.

use std::collections::BTreeSet;

use wattle::model::Name;
use wattle::plan::{Found, Left};
use wattle_converge::{Row, Stage};

use super::onlooker::Known;

/// The difference between a row's thing and the deployed state, if any. A failure of an existing thing counts only if
/// it is recent.
pub(super) fn found(row: &Row, has_failed: bool) -> Option<Found> {
    if row.adopted && row.stage == Stage::Sound {
        let how = row.drift.as_ref().map_or_else(String::new, |how| format!(", and differs: {how}"));
        return Some(Found { name: row.name.clone(), left: Left::Adopted, how: format!("was taken over{how}") });
    }
    let (left, how) = match (row.stage, &row.drift, &row.failed) {
        (Stage::Failed, Some(why), _) => (Left::Wreck, format!("is broken: {why}")),
        (Stage::Failed, None, Some(failure)) => (Left::Wreck, format!("failed: {}", failure.cause)),
        (Stage::Failed, None, None) => (Left::Wreck, "is broken".to_owned()),
        (_, Some(how), _) => (Left::Itself, format!("differs: {how}")),
        (Stage::New | Stage::Gone, None, Some(failure)) if has_failed => {
            (Left::Nothing, format!("failed: {}", failure.cause))
        }
        (Stage::Sound, None, Some(failure)) if has_failed => (Left::Itself, format!("failed: {}", failure.cause)),
        _ => return None,
    };
    Some(Found { name: row.name.clone(), left, how })
}

/// Adds the part of the desired state that is not reached yet, unless something else is reported about it.
pub(super) fn to_come<'a>(
    names: impl Iterator<Item = &'a Name>,
    rows: impl Iterator<Item = &'a Row>,
    all: &mut Vec<Found>,
) {
    let said: BTreeSet<Name> = all.iter().map(|found| found.name.clone()).collect();
    let there: BTreeSet<&Name> = rows.filter(|row| row.stage == Stage::Sound).map(|row| &row.name).collect();
    all.extend(names.filter(|name| !said.contains(*name)).map(|name| {
        let (left, how) =
            if there.contains(name) { (Left::Itself, "is not done yet") } else { (Left::Nothing, "is not there yet") };
        Found { name: name.clone(), left, how: how.to_owned() }
    }));
}

/// The names of the resources with an action in progress.
pub(super) fn under_way<'a>(rows: impl Iterator<Item = &'a Row>) -> impl Iterator<Item = &'a Name> {
    rows.filter(|row| !row.is_idle()).map(|row| &row.name)
}

/// The differences observed by other processes.
pub(super) fn seen_by_others(known: &Known) -> Vec<Found> {
    let has_failed = |row: &Row| row.failed.as_ref().is_some_and(|failure| failure.generation == known.number);
    let mut all: Vec<Found> = known.rows.iter().filter_map(|row| found(row, has_failed(row))).collect();
    if !known.is_reached {
        let is_done = |row: &&Row| row.stage == Stage::Sound && row.is_idle();
        let done: BTreeSet<&Name> = known.rows.iter().filter(is_done).map(|row| &row.name).collect();
        let planned = known.planned.iter().flatten().map(|planned| &planned.name);
        to_come(planned.filter(|name| !done.contains(name)), known.rows.iter(), &mut all);
    }
    to_come(under_way(known.rows.iter()), known.rows.iter(), &mut all);
    all
}
