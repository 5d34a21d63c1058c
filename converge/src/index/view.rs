//! Provides the predicates' facts from the index.

use wattle_model::Name;

use crate::state::State;
use crate::view::{Needs, View};
use crate::{Cleanup, Id, Row, Time, Wanted};

/// How long a correction counts.
pub(crate) const HOUR: std::time::Duration = std::time::Duration::from_hours(1);

impl View for State {
    fn generation(&self) -> u64 {
        self.desired.as_ref().map_or(0, |desired| desired.generation)
    }

    fn is_complete(&self) -> bool {
        self.desired.is_some() && self.good.front().is_some_and(|good| good.desired.generation == self.generation())
    }

    fn is_early(&self) -> bool {
        self.desired.as_ref().is_some_and(|desired| desired.desire.cleanup == Cleanup::Early)
    }

    fn is_expired(&self) -> bool {
        let deadline = self.desired.as_ref().and_then(|desired| desired.desire.deadline);
        deadline.is_some_and(|deadline| deadline <= self.now) && !self.is_complete()
    }

    fn corrects(&self) -> bool {
        self.desired.as_ref().is_some_and(|desired| desired.desire.corrects)
    }

    fn is_tired(&self, place: usize) -> bool {
        let name = self.index.names.get_index(place).map(|(name, _)| name);
        let times: &[Time] = name.and_then(|name| self.corrections.get(name)).map_or(&[], |times| times);
        times.iter().filter(|time| **time + HOUR > self.now).count() >= self.limits.corrections
    }

    fn row(&self, id: Id) -> &Row {
        &self.rows[&id].row
    }

    fn rows(&self, place: usize) -> impl Iterator<Item = &Row> {
        self.index.names[place].rows.iter().map(|id| &self.rows[id].row)
    }

    fn place(&self, row: &Row) -> usize {
        self.index.names.get_index_of(&row.name).expect("INVARIANT: each row's name is in the table")
    }

    fn asks_for_nothing(&self) -> bool {
        self.desired.is_some() && self.index.asked == 0
    }

    fn is_in_target(&self, place: usize) -> bool {
        self.index.names[place].is_in_target
    }

    fn is_known(&self, place: usize) -> bool {
        let named = &self.index.names[place];
        !named.is_in_target || matches!(named.wanted, Some(Ok(_)))
    }

    fn wanted(&self, place: usize) -> Option<&Wanted> {
        self.index.names[place].wanted.as_ref()?.as_ref().ok().map(AsRef::as_ref)
    }

    fn needs(&self, place: usize) -> &Needs {
        &self.index.names[place].needs
    }

    fn pick(&self, place: usize) -> Option<Id> {
        self.index.names[place].pick
    }

    fn is_done(&self, place: usize) -> bool {
        self.index.names[place].is_done
    }

    fn is_everything_done(&self) -> bool {
        self.is_done()
    }

    fn is_required(&self, id: Id) -> bool {
        self.index.required.contains_key(&id)
    }

    fn is_good(&self, id: Id) -> bool {
        self.good.front().is_some_and(|good| good.has(id))
    }

    fn holders(&self, exclusive: &Name) -> Vec<Id> {
        self.index.holders.get(exclusive).into_iter().flatten().copied().collect()
    }
}
