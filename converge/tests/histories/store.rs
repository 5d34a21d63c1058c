//! The stored facts, and their invariants.

use std::collections::{BTreeMap, BTreeSet};

use wattle_converge::{Act, Cleanup, DesiredState, Good, Id, Row, Stage, State, Stored, Write};
use wattle_model::Name;

/// The maximum number of things with a name when one is created, besides those that something requires: of the desired
/// state that was reached last, of the present one, and one that is being created or deleted. A required thing stays
/// until the wanted state is known, so there may be more once nothing requires it any more; then none is created.
const COPIES: usize = 3;

/// The stored facts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    /// The term that may write.
    pub(crate) term: u64,
    pub(crate) desired: Option<DesiredState>,
    pub(crate) good: Vec<Good>,
    pub(crate) rows: BTreeMap<Id, Row>,
    /// Failed names, with the number of the desired state for which they failed, and their intended requirements. Once
    /// a name is tried or created with other requirements, earlier failures no longer count: the requirements may
    /// change back because a required thing vanished and came back.
    failures: BTreeSet<(Name, u64, Option<BTreeSet<Id>>)>,
    /// Rows that did not release what others need, with the number of the desired state.
    kept: BTreeSet<(Id, u64)>,
}

impl Store {
    pub(crate) fn write(&mut self, write: Write) {
        match write {
            Write::DesiredState(desired) => self.desired = Some(desired),
            Write::Good(good) => {
                self.good.insert(0, good);
                self.good.truncate(10);
            }
            Write::Row(row) => {
                let former = self.rows.get(&row.id);
                let is_made = row.stage == Stage::Sound && former.is_some_and(|former| former.stage == Stage::New);
                if is_made || row.act() == Some(&Act::Create) {
                    let generation = self.desired.as_ref().map(|desired| desired.generation);
                    self.failures.retain(|(name, of, needs)| {
                        *name != row.name || Some(*of) != generation || needs.as_ref() == Some(&row.requires)
                    });
                }
                if let Some(failure) = row.failed.as_ref().filter(|failure| !failure.deleting) {
                    self.failures.insert((row.name.clone(), failure.generation, failure.needs.clone()));
                    let former = self.rows.get(&row.id).filter(|former| former.failed != row.failed);
                    if matches!(former.and_then(Row::act), Some(Act::Release { .. })) {
                        self.kept.insert((row.id, failure.generation));
                    }
                }
                self.rows.insert(row.id, *row);
            }
            Write::Remove(id) => {
                self.rows.remove(&id);
            }
        }
    }

    pub(crate) fn stored(&self) -> Stored {
        Stored { desired: self.desired.clone(), good: self.good.clone(), rows: self.rows.values().cloned().collect() }
    }

    /// Whether this desired state was reached, and can be rolled back to.
    pub(crate) fn has_reached(&self, generation: u64) -> bool {
        self.good.iter().any(|good| good.desired.generation == generation)
    }

    /// Checks a row that is about to be written: a failure is not retried for the same desired state, unless the row
    /// refers to something else by now, and no superfluous thing is created.
    pub(crate) fn may_begin(&self, row: &Row) -> Result<(), String> {
        let generation = self.desired.as_ref().map(|desired| desired.generation);
        let failed = row.failed.as_ref().filter(|failure| Some(failure.generation) == generation);
        let former = self.rows.get(&row.id);
        let Some(act) = row.act().filter(|act| former.is_none_or(|former| former.act() != Some(act))) else {
            return Ok(());
        };
        if *act == Act::Create {
            let required: BTreeSet<Id> = self.rows.values().flat_map(Row::all_required).collect();
            // The engine did not create strays.
            let counts = |other: &&Row| {
                let is_other = other.name == row.name && other.id != row.id && !required.contains(&other.id);
                is_other && other.stage != Stage::Gone && !other.fixed.is_empty()
            };
            let count = self.rows.values().filter(counts).count();
            if count >= COPIES {
                return Err(format!("one more of {} is made, and nothing requires {count} that are there", row.name));
            }
        }
        let again = match act {
            Act::Create => {
                let needs = Some(row.requires.clone());
                self.failures.contains(&(row.name.clone(), generation.unwrap_or_default(), needs))
            }
            Act::Look => false,
            Act::Update { requires, .. } | Act::Read { requires, .. } => {
                failed.is_some_and(|failure| failure.needs.as_ref() == Some(requires))
            }
            Act::Release { .. } => self.kept.contains(&(row.id, generation.unwrap_or_default())),
            Act::Delete => failed.is_some_and(|failure| failure.deleting),
        };
        if again {
            Err(format!("{act:?} of {} failed for this desired state and is begun again", row.id))
        } else {
            Ok(())
        }
    }

    /// Checks the invariants after each step of the leader that wrote it.
    pub(crate) fn check(&self, state: &State, began: &BTreeSet<Id>) -> Result<(), String> {
        self.is_acyclic()?;
        let mut holders: BTreeMap<&Name, Id> = BTreeMap::new();
        let required: BTreeSet<Id> = self.rows.values().flat_map(Row::all_required).collect();
        let mut made: BTreeMap<&Name, Id> = BTreeMap::new();
        for row in self.rows.values() {
            for turn in row.turns.iter().filter(|_| row.stage == Stage::New) {
                if let Some(other) = made.insert(turn, row.id) {
                    return Err(format!("{other} and {} are made at once", row.id));
                }
            }
            for held in row.all_held() {
                if let Some(other) = holders.insert(held, row.id) {
                    return Err(format!("{held} is held by {other} and by {}", row.id));
                }
            }
        }
        if let Some(missing) = required.iter().find(|id| !self.rows.contains_key(id)) {
            return Err(format!("{missing} is required, and there is no such row"));
        }
        began.iter().try_for_each(|id| self.may_be_deleted(state, *id))
    }

    fn is_acyclic(&self) -> Result<(), String> {
        let mut left: BTreeMap<Id, BTreeSet<Id>> =
            self.rows.values().map(|row| (row.id, row.all_required().collect())).collect();
        loop {
            let free: Vec<Id> =
                left.iter().filter(|(_, on)| !on.iter().any(|on| left.contains_key(on))).map(|(id, _)| *id).collect();
            if free.is_empty() {
                break;
            }
            free.iter().for_each(|id| {
                left.remove(id);
            });
        }
        if left.is_empty() { Ok(()) } else { Err(format!("these require each other: {:?}", left.keys())) }
    }

    /// Checks a row whose deletion has just begun.
    fn may_be_deleted(&self, state: &State, id: Id) -> Result<(), String> {
        let row = &self.rows[&id];
        if let Some(other) = self.rows.values().find(|other| other.all_required().any(|required| required == id)) {
            return Err(format!(
                "{id} of {} is to be deleted, and {} of {} requires it",
                row.name, other.id, other.name
            ));
        }
        let is_asked_for = |name: &Name| {
            let resources = self.desired.iter().flat_map(|desired| desired.desire.target.resources());
            resources.into_iter().any(|(asked, _)| asked == *name)
        };
        if row.adopted && !is_asked_for(&row.name) {
            return Err(format!(
                "{id} of {} was there before the stack, nobody asks for it, and it is deleted",
                row.name
            ));
        }
        let is_good = self.good.first().is_some_and(|good| id <= good.upto && !good.leftovers.contains(&id));
        let Some(desired) = &self.desired else { return Ok(()) };
        let resources = desired.desire.target.resources();
        let wanted = resources.iter().find(|(name, _)| *name == row.name);
        if is_good && wanted.is_some() && state.standing(&row.name).is_none() {
            return Err(format!("{id} of {} was up and is to be deleted, and nothing else stands for it", row.name));
        }
        if is_good && desired.desire.cleanup == Cleanup::Last && !state.is_done() {
            return Err(format!("{id} of {} is to be deleted, and not everything is done", row.name));
        }
        // Its dependencies have to be done before it is known to be unwanted.
        let is_in_between = !is_good && row.stage == Stage::Sound;
        let requires = wanted.filter(|_| is_in_between).map(|(_, requires)| requires);
        match requires.into_iter().flatten().find(|name| state.standing(name).is_none()) {
            Some(open) => {
                Err(format!("{id} of {} is to be deleted, and may be what is wanted once {open} is done", row.name))
            }
            None => Ok(()),
        }
    }
}
