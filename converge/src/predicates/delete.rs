//! *delete(k)*: whether a thing may be deleted.

use super::has_failed;
use crate::view::View;
use crate::{Row, Stage};

/// *delete(k)*: `k` is idle, stands for nothing, and no row requires it. The rest depends on `k`:
///
/// - A row that stands for the desired state that was reached last is deleted once its name is done and everything else
///   is too. With early cleanup, it is deleted once its name is done. The same holds for what existed before the stack,
///   if its name is requested.
/// - A failed row is deleted now.
/// - A row that was created in between is deleted once it is known what stands for its name.
pub(super) fn delete<V: View>(view: &V, row: &Row) -> bool {
    let place = view.place(row);
    let has_a_thing = matches!(row.stage, Stage::Sound | Stage::Failed);
    if !row.is_idle() || !has_a_thing || view.is_required(row.id) || view.pick(place) == Some(row.id) {
        return false;
    }
    if has_failed(view, row) && row.failed.as_ref().is_some_and(|failure| failure.deleting) {
        return false;
    }
    if row.adopted && !view.is_in_target(place) {
        return false;
    }
    if view.is_good(row.id) || row.adopted {
        return view.is_done(place) && (view.is_early() || view.is_everything_done());
    }
    row.stage == Stage::Failed || view.is_known(place)
}
