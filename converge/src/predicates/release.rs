//! *release(k)*: which row releases what another one needs.

use std::collections::BTreeSet;

use wattle_model::Name;

use super::{delete, has_failed, update};
use crate::view::View;
use crate::{Id, Row, Stage};

/// *release(k)*: the first row that holds something that `place` needs and must release it. That row is idle, will not
/// be deleted, cannot be updated now, and holds it although it should not in the desired state. Afterwards the row
/// differs, so an update restores what was released if it is wanted again.
pub(super) fn release<V: View>(view: &V, place: usize, held: &BTreeSet<Name>) -> Option<(Id, BTreeSet<Name>)> {
    held.iter().flat_map(|exclusive| view.holders(exclusive)).find_map(|holder| {
        let row = view.row(holder);
        if view.pick(place) == Some(holder) || !is_to_give(view, row) {
            return None;
        }
        let kept = kept(view, row);
        let given: BTreeSet<Name> =
            row.holds.intersection(held).filter(|name| !kept.contains(*name)).cloned().collect();
        (!given.is_empty()).then_some((holder, given))
    })
}

/// Whether a row can release anything, and no other action will make it do so.
fn is_to_give<V: View>(view: &V, row: &Row) -> bool {
    let has_a_thing = matches!(row.stage, Stage::Sound | Stage::Failed);
    row.is_idle()
        && has_a_thing
        && !has_failed(view, row)
        && !delete::delete(view, row)
        && update(view, view.place(row)) != Ok(row.id)
}

/// What a row should hold in the desired state.
fn kept<V: View>(view: &V, row: &Row) -> BTreeSet<Name> {
    let place = view.place(row);
    let wanted = view.wanted(place).filter(|_| view.pick(place) == Some(row.id));
    wanted.map(|wanted| wanted.exclusive.clone()).unwrap_or_default()
}
