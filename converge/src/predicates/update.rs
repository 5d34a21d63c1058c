//! *update(k)* and *read(k)*: whether the row that stands for a name may be changed in place, or has to be read again.

use super::pick::{Difference, differs};
use super::{Obstacle, has_failed, held_by_others, may_begin};
use crate::Id;
use crate::view::View;

/// The idle pick of a name, with its difference.
fn pick_that_differs<V: View>(view: &V, place: usize) -> Option<(Id, Difference)> {
    let (id, wanted) = (view.pick(place)?, view.wanted(place)?);
    let row = view.row(id);
    let difference = differs(row, wanted, view.needs(place), view.corrects());
    (row.is_idle() && difference != Difference::Nothing && may_begin(view, place)).then_some((id, difference))
}

/// *update(k)*: all dependencies of the name are done, and `k` stands for it, is idle, differs, and did not fail for
/// this desired state.
pub(crate) fn update<V: View>(view: &V, place: usize) -> Result<Id, Obstacle> {
    let Some((id, Difference::Properties)) = pick_that_differs(view, place) else { return Err(Obstacle::Idle) };
    if has_failed(view, view.row(id)) {
        return Err(Obstacle::Failed(id));
    }
    let wanted = view.wanted(place).ok_or(Obstacle::Idle)?;
    let held = held_by_others(view, wanted.exclusive.iter(), Some(id));
    if held.is_empty() { Ok(id) } else { Err(Obstacle::Held(held)) }
}

/// *read(k)*: likewise, if what `k` shows of other things may differ, and nothing else that only a job can change.
pub(crate) fn read<V: View>(view: &V, place: usize) -> Option<Id> {
    let (id, difference) = pick_that_differs(view, place)?;
    (difference == Difference::Attributes && !has_failed(view, view.row(id))).then_some(id)
}

/// Likewise, if only what `k` requires differs. Then none of its properties refer to the required rows, or they would
/// differ too, so no job is needed.
pub(super) fn repoint<V: View>(view: &V, place: usize) -> Option<Id> {
    pick_that_differs(view, place).filter(|(_, difference)| *difference == Difference::Requires).map(|(id, _)| id)
}
