//! *create(n)*: whether a thing may be created for a name.

use std::collections::BTreeSet;

use wattle_model::Name;

use super::pick::fits;
use super::{has_failed, held_by_others, may_begin};
use crate::view::View;
use crate::{Act, Id, Row, Stage, Wanted};

/// The maximum number of things with one name, not counting those that rows still refer to until they move.
const COPIES: usize = 3;

/// Why an action may not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// There is nothing to do, or it is not known yet.
    Idle,
    /// Something failed for this desired state.
    Failed(Id),
    /// Another row of the name has to finish first.
    Row(Id),
    /// Others hold what it needs.
    Held(BTreeSet<Name>),
}

/// *create(n)*: all dependencies of `n` are done, nothing stands for `n`, and nothing of `n` is being updated or
/// created as wanted, failed for this desired state, or only waits to be deleted. A creation for an earlier desired
/// state does not block it, unless there are too many things with the name.
pub(crate) fn create<V: View>(view: &V, place: usize) -> Result<(), Obstacle> {
    let Some(wanted) = view.wanted(place) else { return Err(Obstacle::Idle) };
    if view.pick(place).is_some() || !may_begin(view, place) {
        return Err(Obstacle::Idle);
    }
    if let Some(row) = view.rows(place).find(|row| has_failed(view, row)) {
        return Err(Obstacle::Failed(row.id));
    }
    let things = view.rows(place).filter(|row| row.stage != Stage::Gone).count();
    if let Some(row) = view.rows(place).find(|row| holds_up(view, row, wanted, things)) {
        return Err(Obstacle::Row(row.id));
    }
    let held = held_by_others(view, wanted.all_exclusive(), None);
    if held.is_empty() { Ok(()) } else { Err(Obstacle::Held(held)) }
}

/// Whether a creation for the name has to wait for this row.
fn holds_up<V: View>(view: &V, row: &Row, wanted: &Wanted, things: usize) -> bool {
    if row.stage == Stage::Gone {
        return false;
    }
    match row.act() {
        Some(Act::Update { .. } | Act::Delete) => true,
        Some(Act::Create | Act::Look) => fits(row, wanted) || things >= COPIES,
        Some(Act::Read { .. } | Act::Release { .. }) | None => {
            !view.is_good(row.id) && !row.adopted && !view.is_required(row.id)
        }
    }
}
