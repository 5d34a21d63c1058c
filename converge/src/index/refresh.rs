//! Refreshes names whose facts may be outdated, from dependencies to dependents.

use std::sync::Arc;

use wattle_model::{Name, Value};

use super::{Index, Named};
use crate::predicates;
use crate::state::State;
use crate::view::Needs;
use crate::{Id, Known, Wanted};

impl State {
    /// Rebuilds the index with the names of the desired state and those of the rows.
    pub(crate) fn rebuild(&mut self, target: Vec<(Name, Vec<usize>)>) {
        let mut index = Index { asked: target.len(), undone: target.len(), ..Index::default() };
        for (name, requires) in &target {
            let missing = requires.len();
            let named = Named { is_in_target: true, requires: requires.clone(), missing, ..Named::default() };
            index.names.insert(name.clone(), named);
        }
        for (place, (_, requires)) in target.iter().enumerate() {
            requires.iter().for_each(|dependency| index.names[*dependency].dependents.push(place));
        }
        std::mem::swap(&mut index.required, &mut self.index.required);
        std::mem::swap(&mut index.holders, &mut self.index.holders);
        self.index = index;
        let rows: Vec<(Id, Name)> = self.rows.iter().map(|(id, entry)| (*id, entry.row.name.clone())).collect();
        for (id, name) in rows {
            let place = self.index.place_of(&name);
            self.index.names[place].rows.insert(id);
        }
        let all = 0..self.index.names.len();
        self.index.stale = all.clone().collect();
        self.index.free = all.clone().collect();
        self.index.due = all.collect();
    }

    /// Refreshes all names whose facts may be outdated.
    pub(crate) fn propagate(&mut self) {
        let was_done = self.is_done();
        while let Some(place) = self.index.stale.pop_first() {
            self.refresh(place);
        }
        if was_done != self.is_done() {
            self.mark_surplus();
        }
    }

    /// Marks the names with rows that stand for nothing, because what may be done with those rows may have changed.
    pub(crate) fn mark_surplus(&mut self) {
        for place in self.index.surplus.clone() {
            self.mark(place);
        }
    }

    fn refresh(&mut self, place: usize) {
        let named = &self.index.names[place];
        let (had_pick, was_done) = (named.pick, named.is_done);
        if named.is_in_target {
            self.resolve(place);
            let (pick, is_done) = self.stands(place);
            let named = &mut self.index.names[place];
            (named.pick, named.is_done) = (pick, is_done);
            if was_done != is_done || (is_done && had_pick != pick) {
                self.refresh_dependents(place, was_done, is_done);
            }
            if was_done != is_done || had_pick != pick {
                self.mark(place);
            }
        }
        let named = &self.index.names[place];
        if named.rows.len() > usize::from(named.pick.is_some()) {
            self.index.surplus.insert(place);
        } else {
            self.index.surplus.remove(&place);
        }
    }

    /// Computes the wanted state of a name, once all its dependencies are done.
    fn resolve(&mut self, place: usize) {
        let named = &self.index.names[place];
        if named.missing > 0 || named.wanted.is_some() {
            return;
        }
        let wanted = self.resolved(place).map(|mut wanted| {
            wanted.properties = Value::Null;
            Arc::new(wanted)
        });
        let picks = named.requires.iter().filter_map(|dependency| self.index.names[*dependency].pick);
        let needs = Needs::of(picks.map(|pick| &self.rows[&pick].row), wanted.as_deref().ok());
        for exclusive in wanted.iter().flat_map(|wanted| wanted.all_exclusive()) {
            self.index.interested.entry(exclusive.clone()).or_default().insert(place);
        }
        let named = &mut self.index.names[place];
        (named.wanted, named.needs) = (Some(wanted), needs);
        self.mark(place);
    }

    /// The wanted state of a name whose dependencies are all done.
    pub(crate) fn resolved(&self, place: usize) -> Result<Wanted, Name> {
        let (name, named) = self.index.names.get_index(place).expect("INVARIANT: it is a place of the table");
        let desired = self.desired.as_ref().expect("INVARIANT: names of a target come from a desired state");
        let thing = |name: &str| {
            let dependency = self.index.names.get_index_of(name)?;
            let pick = self.index.names[dependency].pick.filter(|_| named.requires.contains(&dependency))?;
            self.rows[&pick].row.thing.as_ref()
        };
        desired.desire.target.resolve(name, &Known(&thing)).map_err(Into::into)
    }

    /// The pick of a name, and whether it is in its wanted state.
    fn stands(&self, place: usize) -> (Option<Id>, bool) {
        let named = &self.index.names[place];
        let Some(Ok(wanted)) = &named.wanted else { return (None, false) };
        let corrects = self.desired.as_ref().is_some_and(|desired| desired.desire.corrects);
        let rows = named.rows.iter().map(|id| &self.rows[id].row);
        let pick = predicates::pick(rows, wanted, &named.needs, corrects);
        let is_done = pick.is_some_and(|pick| predicates::done(&self.rows[&pick].row, wanted, &named.needs, corrects));
        (pick, is_done)
    }

    /// Makes the dependents compute their wanted state again.
    fn refresh_dependents(&mut self, place: usize, was_done: bool, is_done: bool) {
        self.index.undone += usize::from(was_done);
        self.index.undone -= usize::from(is_done);
        for dependent in self.index.names[place].dependents.clone() {
            let named = &mut self.index.names[dependent];
            named.missing += usize::from(was_done);
            named.missing -= usize::from(is_done);
            let wanted = named.wanted.take();
            for exclusive in wanted.iter().flatten().flat_map(|wanted| wanted.all_exclusive()) {
                if let Some(places) = self.index.interested.get_mut(exclusive) {
                    places.remove(&dependent);
                }
            }
            self.index.stale.insert(dependent);
            self.mark(dependent);
        }
    }
}
