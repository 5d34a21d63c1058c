//! The known state of a stack, and the one function that changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wattle_model::{Name, Value};

use crate::deadlines::Alarm;
use crate::desired_state::{Refusal, places};
use crate::index::Index;
use crate::predicates::{has_failed, is_free};
use crate::view::View;
use crate::{DesiredState, Event, Good, Id, Limits, Row, Stage, Step, Time, Write};

/// The number of reached desired states to keep.
const KEPT: usize = 10;

/// The stored state of a stack.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The desired state.
    pub desired: Option<DesiredState>,
    /// Desired states that were reached, the last one first.
    pub good: Vec<Good>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// The progress of the action on a row, as far as this leader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No action is in progress.
    Idle,
    /// This job is being carried out.
    Running(Id),
    /// The cloud could not do it. It is retried when the alarm is due.
    Retry,
    /// The cloud is carrying it out.
    Accepted,
    /// A former leader, or a request that got no response, may still be acting on it.
    Lease,
}

/// A row, and what only this leader knows about it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) row: Row,
    pub(crate) phase: Phase,
    pub(crate) alarm: Option<Time>,
    /// Observations from before this time are ignored.
    pub(crate) changed: Time,
    /// How long a teardown may delay the deletion.
    pub(crate) drain: Option<Time>,
    /// Whether the current action was requested more than once.
    pub(crate) is_retried: bool,
}

/// A leader's knowledge about a stack during its term.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) term: u64,
    pub(crate) issued: u64,
    pub(crate) limits: Limits,
    pub(crate) now: Time,
    pub(crate) desired: Option<DesiredState>,
    pub(crate) good: VecDeque<Good>,
    pub(crate) rows: BTreeMap<Id, Entry>,
    pub(crate) index: Index,
    pub(crate) alarms: BTreeSet<(Time, Alarm)>,
    /// The number of running jobs.
    pub(crate) running: usize,
    /// The number of rows with an action in progress.
    pub(crate) under_way: usize,
    /// When drift was corrected, by name.
    pub(crate) corrections: BTreeMap<Name, Vec<Time>>,
    /// When something last changed.
    pub(crate) progress: Time,
    /// When a row was last removed. An earlier observation may show that row's thing.
    pub(crate) removed: Time,
    /// Whether it was reported that nothing is in progress.
    pub(crate) is_settled: bool,
    /// Whether that was reported of the present desired state before, or may have been by an earlier leader.
    pub(crate) was_settled: bool,
    /// Whether there may be rows that stand for the desired state but are missing in its record of success.
    pub(crate) has_news: bool,
    pub(crate) out: Step,
}

impl State {
    /// Takes over the stored state, in a term that is greater than every earlier one. Actions that a former leader
    /// started are left alone until none of its requests can arrive any more.
    ///
    /// # Errors
    ///
    /// The stored desired state is one that [`Event::Desire`] would have refused.
    pub fn load(stored: Stored, term: u64, limits: Limits, now: Time) -> Result<(Self, Step), Refusal> {
        let names =
            stored.desired.as_ref().map(|desired| places(&*desired.desire.target)).transpose()?.unwrap_or_default();
        let mut state = Self {
            term,
            issued: 0,
            limits,
            now,
            desired: stored.desired,
            good: stored.good.into(),
            rows: BTreeMap::new(),
            index: Index::default(),
            alarms: BTreeSet::new(),
            running: 0,
            under_way: 0,
            corrections: BTreeMap::new(),
            progress: now,
            removed: Time::default(),
            is_settled: false,
            was_settled: false,
            has_news: true,
            out: Step::default(),
        };
        state.was_settled = state.is_complete();
        for row in stored.rows {
            state.take_over(row);
        }
        state.rebuild(names);
        // Actions that a leader left in progress when it ended no longer belong to any leader.
        state.ring();
        state.settle();
        let step = std::mem::take(&mut state.out);
        Ok((state, step))
    }

    /// Handles an event, and returns what to store and what to start afterwards. Times must not decrease.
    pub fn step(&mut self, event: Event, now: Time) -> Step {
        self.happen(event, now);
        self.settle();
        std::mem::take(&mut self.out)
    }

    /// Sets how many jobs may run concurrently from now on, instead of [`Limits::at_once`]. With 0, results and
    /// observations are still handled, and it is never reported that nothing is in progress.
    pub fn begin_at_once(&mut self, jobs: usize) {
        self.limits.at_once = jobs;
    }

    /// Ends this leader's term: no request is sent any more for a job that has ended. So the next leader need not wait
    /// until none of this leader's requests can arrive.
    pub fn leave(&mut self) -> Step {
        let over = |phase| matches!(phase, Phase::Retry | Phase::Accepted);
        let over: Vec<Id> = self.rows.iter().filter(|(_, entry)| over(entry.phase)).map(|(id, _)| *id).collect();
        for id in over {
            self.alter(id, |row| {
                if let Some(intent) = &mut row.intent {
                    intent.not_after = Time::default();
                }
            });
        }
        std::mem::take(&mut self.out)
    }

    /// Like [`State::step`], with predicates that are computed from all rows each time. Tests compare the two.
    #[doc(hidden)]
    pub fn step_naively(&mut self, event: Event, now: Time) -> Step {
        self.happen(event, now);
        self.settle_naively();
        std::mem::take(&mut self.out)
    }

    /// When [`Event::Tick`] is due, unless another event comes earlier.
    pub fn wakes(&self) -> Option<Time> {
        let stall = (self.under_way > 0).then(|| self.progress + self.limits.stall);
        let deadline =
            self.desired.as_ref().and_then(|desired| desired.desire.deadline).filter(|deadline| *deadline > self.now);
        [self.alarms.first().map(|alarm| alarm.0), stall, deadline].into_iter().flatten().min()
    }

    /// The desired state.
    pub fn desired(&self) -> Option<&DesiredState> {
        self.desired.as_ref()
    }

    /// The desired states that were reached, the last one first.
    pub fn good(&self) -> impl Iterator<Item = &Good> {
        self.good.iter()
    }

    /// The rows, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values().map(|entry| &entry.row)
    }

    /// The row with this id.
    pub fn row(&self, id: Id) -> Option<&Row> {
        self.rows.get(&id).map(|entry| &entry.row)
    }

    /// The row that stands for a name, if it is in its wanted state.
    pub fn standing(&self, name: &str) -> Option<&Row> {
        let named = self.index.names.get(name)?;
        let pick = named.pick.filter(|_| named.is_done)?;
        Some(&self.rows[&pick].row)
    }

    /// Whether a row has failed, and nothing more is done about it for this desired state.
    pub fn has_failed(&self, row: &Row) -> bool {
        has_failed(self, row)
    }

    /// Whether a row's thing still exists although the desired state does not contain it.
    pub fn is_superfluous(&self, row: &Row) -> bool {
        let is_wanted = self.index.names.get(&row.name).is_some_and(|named| named.is_in_target);
        row.stage != Stage::Gone && !row.adopted && !is_wanted
    }

    /// The properties that the thing of this row has in the desired state. `None` if the row stands for no name, or an
    /// action on it is in progress.
    pub fn properties(&self, row: Id) -> Option<Value> {
        let known = &self.rows.get(&row)?.row;
        let place = self.index.names.get_index_of(&known.name)?;
        let named = &self.index.names[place];
        let stands = named.is_in_target && named.missing == 0 && named.pick == Some(row) && known.is_idle();
        // The properties of a row that differs are not known yet: it will be updated.
        let is_it = stands && self.wanted(place).is_some_and(|wanted| is_free(known, wanted));
        is_it.then(|| self.resolved(place).ok()).flatten().map(|wanted| wanted.properties)
    }

    /// Whether everything in the desired state exists.
    pub fn is_done(&self) -> bool {
        self.desired.is_some() && self.index.undone == 0
    }

    /// The types of rows whose current action only the cloud can report on.
    pub fn watched(&self) -> BTreeSet<Name> {
        let is_watched = |entry: &&Entry| matches!(entry.phase, Phase::Accepted | Phase::Lease);
        self.rows.values().filter(is_watched).map(|entry| entry.row.kind.clone()).collect()
    }

    /// Whether nothing is in progress.
    pub fn is_quiet(&self) -> bool {
        self.under_way == 0
    }

    /// Whether the deadline of the desired state passed while something was still in progress. Nothing more is started
    /// for it, and actions of the cloud are not awaited.
    pub fn is_over_time(&self) -> bool {
        let deadline = self.desired.as_ref().and_then(|desired| desired.desire.deadline);
        deadline.is_some_and(|deadline| deadline <= self.now) && !(self.is_complete() && self.was_settled)
    }

    /// Whether nothing in progress is awaited.
    pub(crate) fn waits_for_nothing(&self) -> bool {
        let goes_on = |entry: &Entry| matches!(entry.phase, Phase::Accepted | Phase::Lease);
        self.under_way == 0
            || self.is_over_time() && self.rows.values().all(|entry| entry.row.is_idle() || goes_on(entry))
    }

    /// Issues a new name.
    pub(crate) fn issue(&mut self) -> Id {
        self.issued += 1;
        Id { term: self.term, number: self.issued }
    }

    /// Inserts a reached desired state before the earlier ones.
    pub(crate) fn keep(&mut self, good: Good) {
        self.out.writes.push(Write::Good(good.clone()));
        self.good.push_front(good);
        self.good.truncate(KEPT);
    }

    /// Writes a row in its present form. Writes are in the order of the changes, so that any prefix of them is a state
    /// that the rules can reach.
    pub(crate) fn write(&mut self, id: Id) {
        let is_it = |write: &Write| match write {
            Write::Row(row) => row.id == id,
            Write::Remove(removed) => *removed == id,
            Write::DesiredState(_) | Write::Good(_) => false,
        };
        if self.out.writes.last().is_some_and(is_it) {
            self.out.writes.pop();
        }
        let row = self.rows.get(&id).map(|entry| Box::new(entry.row.clone()));
        self.out.writes.push(row.map_or(Write::Remove(id), Write::Row));
    }
}
