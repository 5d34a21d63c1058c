//! *create(n)*: whether a thing may be made for a name.

use std::collections::BTreeSet;

use wattle_model::Name;

use super::pick::fits;
use super::{has_failed, held_by_others, may_begin};
use crate::view::View;
use crate::{Act, Id, Row, Stage, Wanted};

/// Things of one name that there are at most, beside those that rows still refer to which have yet to move.
const COPIES: usize = 3;

/// Why something may not be begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// There is nothing to do, or it cannot be said yet what.
    Idle,
    /// Something failed in this goal.
    Failed(Id),
    /// Another row of the name is to come to an end first.
    Row(Id),
    /// Others have what it needs.
    Held(BTreeSet<Name>),
}

/// *create(n)*: what it depends on is done, nothing stands for it, nothing of it is being updated or made as wanted, nothing
/// of it failed in this goal, and nothing of it is left that only waits to be deleted. What is being made for a former goal
/// holds nothing up, as long as there are not too many things of the name.
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

/// Whether a thing for the name has to wait for what becomes of this row.
fn holds_up<V: View>(view: &V, row: &Row, wanted: &Wanted, things: usize) -> bool {
    if row.stage == Stage::Gone {
        return false;
    }
    match row.act() {
        Some(Act::Update { .. } | Act::Delete) => true,
        Some(Act::Create | Act::Look) => fits(row, wanted) || things >= COPIES,
        Some(Act::Release { .. }) | None => !view.is_good(row.id) && !row.adopted && !view.is_required(row.id),
    }
}
