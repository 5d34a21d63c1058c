//! The rules: the possible next actions, as pure functions of a [`View`].
//!
//! There is one file for each predicate. What does not belong here: how the facts of a view are kept up to date, and
//! what happens once an action begins.

mod create;
mod delete;
mod pick;
mod release;
mod update;

use std::collections::BTreeSet;

use wattle_model::Name;

use crate::view::View;
use crate::{Id, Row, Stage};

pub(crate) use create::{Obstacle, create};
pub(crate) use pick::{done, fits, is_free, pick};
pub(crate) use update::{read, update};

/// A possible action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Forget a row whose thing is gone. This needs no job.
    Forget(Id),
    /// Record that a row, otherwise in its wanted state, requires other rows than before. This needs no job.
    Repoint(Id),
    /// Check whether a thing was created.
    Look(Id),
    /// Delete a thing.
    Delete(Id),
    /// Change a thing in place.
    Update(Id),
    /// Read a thing again.
    Read(Id),
    /// Create a thing.
    Create(usize),
    /// Release from a thing what another one needs.
    Release(Id, BTreeSet<Name>),
}

/// The possible action for a name without a job.
pub(crate) fn free<V: View>(view: &V, place: usize) -> Option<Action> {
    let forgotten = view.rows(place).find(|row| forget(view, row)).map(|row| Action::Forget(row.id));
    forgotten.or_else(|| update::repoint(view, place).map(Action::Repoint))
}

/// The first job that may be started for a name.
pub(crate) fn job<V: View>(view: &V, place: usize) -> Option<Action> {
    let of_row = view.rows(place).find_map(|row| {
        let look = look(row).then_some(Action::Look(row.id));
        look.or_else(|| delete::delete(view, row).then_some(Action::Delete(row.id)))
    });
    of_row.or_else(|| match (update(view, place), create(view, place)) {
        (Ok(id), _) => Some(Action::Update(id)),
        (_, Ok(())) => Some(Action::Create(place)),
        (Err(Obstacle::Held(held)), _) | (_, Err(Obstacle::Held(held))) => {
            release::release(view, place, &held).map(|(id, exclusive)| Action::Release(id, exclusive))
        }
        _ => read(view, place).map(Action::Read),
    })
}

/// *look(k)*: it is unknown whether the thing was created, and no request can still arrive.
fn look(row: &Row) -> bool {
    row.is_idle() && row.stage == Stage::New
}

/// *forget(k)*: nothing is left of `k`, or it existed before the stack and the desired state is empty. Also, no row
/// requires it, and no failure for this desired state has to be remembered.
fn forget<V: View>(view: &V, row: &Row) -> bool {
    let is_nobodys = row.stage == Stage::Gone || row.adopted && view.asks_for_nothing();
    row.is_idle() && is_nobodys && !view.is_required(row.id) && !has_failed(view, row)
}

/// Whether a row has failed for this desired state and would fail again. It might not if something that the row refers
/// to has been replaced since.
pub(crate) fn has_failed<V: View>(view: &V, row: &Row) -> bool {
    row.failed.as_ref().is_some_and(|failure| {
        let place = view.place(row);
        let needs = failure.needs.as_ref().filter(|_| view.is_known(place));
        failure.generation == view.generation() && needs.is_none_or(|needs| *needs == view.needs(place).rows)
    })
}

/// Whether to work towards the wanted state of a name. After the desired state was reached, only drift is corrected, if
/// requested, together with the consequences of the correction: a row without drift differs only because of its
/// dependencies.
fn may_begin<V: View>(view: &V, place: usize) -> bool {
    if view.is_expired() {
        return false;
    }
    if !view.is_complete() {
        return true;
    }
    let is_asked = view.corrects()
        || view.wanted(place).is_some_and(|wanted| wanted.corrects)
        || view.rows(place).any(|row| row.stage == Stage::Sound && row.drift.is_none());
    is_asked && !view.is_tired(place)
}

/// Those of these names that are held by rows other than `own`.
fn held_by_others<'a, V: View>(view: &V, exclusive: impl Iterator<Item = &'a Name>, own: Option<Id>) -> BTreeSet<Name> {
    let is_held = |name: &&Name| view.holders(name).into_iter().any(|holder| Some(holder) != own);
    exclusive.filter(is_held).cloned().collect()
}
