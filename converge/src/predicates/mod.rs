//! The rules: what may be done next, as pure functions of a [`View`].
//!
//! One file a predicate. What must not live here: how what they ask is kept up to date, and what happens once something is begun.

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
pub(crate) use update::update;

/// What may be begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A row of which nothing is left is forgotten. It takes no job.
    Forget(Id),
    /// A row requires other rows than before and is as wanted otherwise. It takes no job.
    Repoint(Id),
    /// Somebody has to look whether a thing was made.
    Look(Id),
    /// A thing is deleted.
    Delete(Id),
    /// A thing is changed in place.
    Update(Id),
    /// A thing is made.
    Create(usize),
    /// A thing loses what another one needs.
    Release(Id, BTreeSet<Name>),
}

/// What may be done to a name without a job.
pub(crate) fn free<V: View>(view: &V, place: usize) -> Option<Action> {
    let forgotten = view.rows(place).find(|row| forget(view, row)).map(|row| Action::Forget(row.id));
    forgotten.or_else(|| update::repoint(view, place).map(Action::Repoint))
}

/// The first job that may be begun for a name.
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
        _ => None,
    })
}

/// *look(k)*: nobody heard whether it was made, and no request can still arrive.
fn look(row: &Row) -> bool {
    row.is_idle() && row.stage == Stage::New
}

/// *forget(k)*: there is nothing of it, or it was there before the stack and there is to be no stack; nobody refers to it, and no
/// failure of this goal is to be remembered.
fn forget<V: View>(view: &V, row: &Row) -> bool {
    let is_nobodys = row.stage == Stage::Gone || row.adopted && view.asks_for_nothing();
    row.is_idle() && is_nobodys && !view.is_required(row.id) && !has_failed(view, row)
}

/// Whether something went wrong with a row in this goal, and would again: what it refers to may have been made anew since.
pub(crate) fn has_failed<V: View>(view: &V, row: &Row) -> bool {
    row.failed.as_ref().is_some_and(|failure| {
        let place = view.place(row);
        let needs = failure.needs.as_ref().filter(|_| view.is_known(place));
        failure.generation == view.generation() && needs.is_none_or(|needs| needs == view.needs(place))
    })
}

/// Whether what is wanted of a name is to be worked for. After a goal was reached only drift is put right, where that is asked
/// for, and what follows from it: a row that nobody has touched differs only because of what it depends on.
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

/// Which of these are held by others than the row `own`.
fn held_by_others<'a, V: View>(view: &V, exclusive: impl Iterator<Item = &'a Name>, own: Option<Id>) -> BTreeSet<Name> {
    let is_held = |name: &&Name| view.holders(name).into_iter().any(|holder| Some(holder) != own);
    exclusive.filter(is_held).cloned().collect()
}
