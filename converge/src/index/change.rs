//! Updates the counts when a row changes, and marks the names that it affects.

use std::collections::BTreeSet;

use wattle_model::Name;

use super::{Index, Named};
use crate::state::{Entry, Phase, State};
use crate::{Id, Row};

impl State {
    /// Adds a row and stores it.
    pub(crate) fn add(&mut self, row: Row) {
        let id = row.id;
        self.insert(row);
        self.save(id);
    }

    /// Adds a row that is stored already, at its name's index in the table of the former desired state.
    pub(crate) fn insert(&mut self, row: Row) {
        let id = row.id;
        self.index_row(None, Some(&row));
        self.under_way += usize::from(!row.is_idle());
        let entry = Entry { row, phase: Phase::Idle, alarm: None, changed: self.now, drain: None, is_retried: false };
        self.rows.insert(id, entry);
        self.mark_rows_place(id);
    }

    /// Changes a row and stores it.
    pub(crate) fn alter(&mut self, id: Id, change: impl FnOnce(&mut Row)) {
        let entry = self.rows.get_mut(&id).expect("INVARIANT: only rows that are there are changed");
        let old = entry.row.clone();
        change(&mut entry.row);
        if !entry.row.is_like(&old) {
            entry.row.since = self.now;
        }
        let new = entry.row.clone();
        entry.changed = self.now;
        self.under_way -= usize::from(!old.is_idle());
        self.under_way += usize::from(!new.is_idle());
        self.index_row(Some(&old), Some(&new));
        self.mark_rows_place(id);
        self.save(id);
    }

    /// Forgets a row.
    pub(crate) fn remove(&mut self, id: Id) {
        self.rest(id);
        if let Some(entry) = self.rows.remove(&id) {
            self.under_way -= usize::from(!entry.row.is_idle());
            self.index_row(Some(&entry.row), None);
            self.removed = self.now;
            self.save(id);
        }
    }

    /// Has the row written in its form at the end of the step.
    fn save(&mut self, id: Id) {
        self.progress = self.now;
        self.is_settled = false;
        self.write(id);
    }

    fn index_row(&mut self, old: Option<&Row>, new: Option<&Row>) {
        let Some(row) = new.or(old) else { return };
        let place = self.index.place_of(&row.name);
        let rows = &mut self.index.names[place].rows;
        if new.is_some() {
            rows.insert(row.id)
        } else {
            rows.remove(&row.id)
        };
        self.index.stale.insert(place);
        self.count_required(old, new);
        self.index.count_held(old, new);
        self.mark(place);
    }

    fn count_required(&mut self, old: Option<&Row>, new: Option<&Row>) {
        let (old, new) = (required(old), required(new));
        for id in old.difference(&new) {
            if self.index.no_longer_requires(*id) {
                self.mark_rows_place(*id);
            }
        }
        for id in new.difference(&old) {
            let count = self.index.required.entry(*id).or_default();
            *count += 1;
            if *count == 1 {
                self.mark_rows_place(*id);
            }
        }
    }

    /// Marks the name of a row, because there may be something to do for it.
    pub(crate) fn mark_rows_place(&mut self, id: Id) {
        if let Some(entry) = self.rows.get(&id) {
            let place = self.index.place_of(&entry.row.name);
            self.mark(place);
        }
    }

    /// Marks a name because there may be something to do for it, or for the names that wait for what its rows hold.
    pub(crate) fn mark(&mut self, place: usize) {
        self.index.free.insert(place);
        self.index.due.insert(place);
        for id in &self.index.names[place].rows {
            let Some(entry) = self.rows.get(id) else { continue };
            for held in entry.row.all_held() {
                for place in self.index.interested.get(held).into_iter().flatten() {
                    self.index.due.insert(*place);
                }
            }
        }
    }
}

impl Index {
    /// The index of a name. A name without one gets one.
    pub(crate) fn place_of(&mut self, name: &Name) -> usize {
        if let Some(place) = self.names.get_index_of(name) {
            return place;
        }
        self.names.insert_full(name.clone(), Named { is_done: true, ..Named::default() }).0
    }

    /// Removes one requirement of a row, and returns whether no row requires it any more.
    fn no_longer_requires(&mut self, id: Id) -> bool {
        let count = self.required.get_mut(&id).expect("INVARIANT: it was counted when it came");
        *count -= 1;
        let is_free = *count == 0;
        if is_free {
            self.required.remove(&id);
        }
        is_free
    }

    fn count_held(&mut self, old: Option<&Row>, new: Option<&Row>) {
        for (row, comes) in [(old, false), (new, true)] {
            let Some(row) = row else { continue };
            for held in row.all_held() {
                let holders = self.holders.entry(held.clone()).or_default();
                if comes {
                    holders.insert(row.id)
                } else {
                    holders.remove(&row.id)
                };
                if holders.is_empty() {
                    self.holders.remove(held);
                }
                for place in self.interested.get(held).into_iter().flatten() {
                    self.due.insert(*place);
                }
            }
        }
    }
}

fn required(row: Option<&Row>) -> BTreeSet<Id> {
    row.into_iter().flat_map(Row::all_required).collect()
}
