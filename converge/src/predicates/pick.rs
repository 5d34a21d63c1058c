//! *pick(n)* and *done(n)*: which row stands for a name, and whether it is in its wanted state.

use crate::view::Needs;
use crate::{Act, Effect, Id, Row, Stage, Wanted};

/// How a row differs from its wanted state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// It does not differ.
    Nothing,
    /// Only in what it requires, or in values that are only recorded.
    Requires,
    /// Its attributes may show outdated values of other things.
    Attributes,
    /// In something that only a job can change.
    Properties,
}

/// How a row with the wanted `fixed` differs from the wanted state. Drift counts if it has to be corrected.
pub(crate) fn differs(row: &Row, wanted: &Wanted, needs: &Needs, corrects: bool) -> Difference {
    let is_drifted = row.drift.is_some() && (corrects || wanted.corrects);
    if !is_free(row, wanted) || row.holds != wanted.exclusive || is_drifted {
        Difference::Properties
    } else if row.shown != needs.shown {
        Difference::Attributes
    } else if row.requires != needs.rows || row.drains != wanted.drains || !wanted.agrees(&row.varying, Effect::Noted) {
        Difference::Requires
    } else {
        Difference::Nothing
    }
}

/// Whether a row may stand for what is wanted.
pub(crate) fn fits(row: &Row, wanted: &Wanted) -> bool {
    row.kind == wanted.kind && row.fixed == wanted.fixed && wanted.agrees(&row.varying, Effect::Replace)
}

/// Whether everything that can be changed in place is in its wanted state.
pub(crate) fn is_free(row: &Row, wanted: &Wanted) -> bool {
    row.free.as_ref() == Some(&wanted.free) && wanted.agrees(&row.varying, Effect::InPlace)
}

/// *pick(n)*: of the sound rows with the wanted `fixed`, the one that needs no change; if there is none, the oldest. So a
/// rollback finds the original again.
pub(crate) fn pick<'a>(
    rows: impl Iterator<Item = &'a Row>,
    wanted: &Wanted,
    needs: &Needs,
    corrects: bool,
) -> Option<Id> {
    let mut oldest = None;
    for row in rows {
        if row.stage != Stage::Sound || row.act() == Some(&Act::Delete) || !fits(row, wanted) {
            continue;
        }
        if done(row, wanted, needs, corrects) {
            return Some(row.id);
        }
        oldest = oldest.or(Some(row.id));
    }
    oldest
}

/// *done(n)* for the pick of `n`, if all dependencies of `n` are done: the pick is idle and in its wanted state.
pub(crate) fn done(row: &Row, wanted: &Wanted, needs: &Needs, corrects: bool) -> bool {
    row.is_idle() && differs(row, wanted, needs, corrects) == Difference::Nothing
}
