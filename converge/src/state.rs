//! What is known, and the one function that changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wattle_model::{Name, Value};

use crate::deadlines::Alarm;
use crate::goal::{Refusal, places};
use crate::index::Index;
use crate::predicates::{has_failed, is_free};
use crate::view::View;
use crate::{Event, Goal, Good, Id, Limits, Row, Stage, Step, Time, Write};

/// How many goals that were reached are kept.
const KEPT: usize = 10;

/// What is stored of a stack.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The goal.
    pub goal: Option<Goal>,
    /// Goals that were reached, the last one first.
    pub good: Vec<Good>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Where what is being done to a row has got to, as far as this leader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing is being done.
    Idle,
    /// This job is carried out.
    Running(Id),
    /// The cloud could not do it. It is asked again when the alarm goes.
    Retry,
    /// The cloud is doing it.
    Accepted,
    /// Somebody may still be at it: a former leader, or a request that nobody answered.
    Lease,
}

/// A row, and what this leader knows beyond it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) row: Row,
    pub(crate) phase: Phase,
    pub(crate) alarm: Option<Time>,
    /// What is seen of a time before this is of no use.
    pub(crate) changed: Time,
    /// Until when a teardown comes before the deletion.
    pub(crate) drain: Option<Time>,
    /// The cloud was asked more than once for what is being done.
    pub(crate) is_retried: bool,
}

/// What is known of a stack, by the leader of a term.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) term: u64,
    pub(crate) issued: u64,
    pub(crate) limits: Limits,
    pub(crate) now: Time,
    pub(crate) goal: Option<Goal>,
    pub(crate) good: VecDeque<Good>,
    pub(crate) rows: BTreeMap<Id, Entry>,
    pub(crate) index: Index,
    pub(crate) alarms: BTreeSet<(Time, Alarm)>,
    /// Jobs that are carried out.
    pub(crate) running: usize,
    /// Rows to which something is being done.
    pub(crate) under_way: usize,
    /// When what drifted was put right, by name.
    pub(crate) corrections: BTreeMap<Name, Vec<Time>>,
    /// When something changed last.
    pub(crate) progress: Time,
    /// When a row was removed last: what was seen before may be its thing.
    pub(crate) removed: Time,
    /// It was reported that nothing goes on.
    pub(crate) is_settled: bool,
    /// There may be rows that stand for the goal and that its record of success does not know.
    pub(crate) has_news: bool,
    pub(crate) out: Step,
}

impl State {
    /// Takes over what is stored, in a term that is greater than every one before it. What a former leader has begun is left alone until
    /// none of its requests can arrive any more.
    ///
    /// # Errors
    ///
    /// The stored goal is none that [`Event::Desire`] would have taken.
    pub fn load(stored: Stored, term: u64, limits: Limits, now: Time) -> Result<(Self, Step), Refusal> {
        let names = stored.goal.as_ref().map(|goal| places(&*goal.desire.target)).transpose()?.unwrap_or_default();
        let mut state = Self {
            term,
            issued: 0,
            limits,
            now,
            goal: stored.goal,
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
            has_news: true,
            out: Step::default(),
        };
        for row in stored.rows {
            state.take_over(row);
        }
        state.rebuild(names);
        // What a leader that ended has left under way is nobody's any more.
        state.ring();
        state.settle();
        let step = std::mem::take(&mut state.out);
        Ok((state, step))
    }

    /// Answers an event with what is to be stored and then begun. Of two events the later one has the later time.
    pub fn step(&mut self, event: Event, now: Time) -> Step {
        self.happen(event, now);
        self.settle();
        std::mem::take(&mut self.out)
    }

    /// From now on so many jobs may be carried out at the same time, instead of [`Limits::at_once`]. With none, what ends and what
    /// is seen is taken in as before, and it is never reported that nothing goes on.
    pub fn begin_at_once(&mut self, jobs: usize) {
        self.limits.at_once = jobs;
    }

    /// Whoever leads ends: nobody sends anything any more for a job that has come to its end. So whoever leads next need not wait
    /// until none of its requests can arrive.
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

    /// The same as [`State::step`], by predicates that are computed from all rows each time: what tests compare it with.
    #[doc(hidden)]
    pub fn step_naively(&mut self, event: Event, now: Time) -> Step {
        self.happen(event, now);
        self.settle_naively();
        std::mem::take(&mut self.out)
    }

    /// When [`Event::Tick`] is due, if nothing happens before.
    pub fn wakes(&self) -> Option<Time> {
        let stall = (self.under_way > 0).then(|| self.progress + self.limits.stall);
        let goal = self.goal.as_ref().and_then(|goal| goal.desire.deadline).filter(|deadline| *deadline > self.now);
        [self.alarms.first().map(|alarm| alarm.0), stall, goal].into_iter().flatten().min()
    }

    /// The goal.
    pub fn goal(&self) -> Option<&Goal> {
        self.goal.as_ref()
    }

    /// Goals that were reached, the last one first.
    pub fn good(&self) -> impl Iterator<Item = &Good> {
        self.good.iter()
    }

    /// The rows, the oldest first.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values().map(|entry| &entry.row)
    }

    /// The row of an id.
    pub fn row(&self, id: Id) -> Option<&Row> {
        self.rows.get(&id).map(|entry| &entry.row)
    }

    /// The row that stands for a name, if it is as wanted.
    pub fn standing(&self, name: &str) -> Option<&Row> {
        let named = self.index.names.get(name)?;
        let pick = named.pick.filter(|_| named.is_done)?;
        Some(&self.rows[&pick].row)
    }

    /// Whether something went wrong with a row, and nothing more is done about it for this goal.
    pub fn has_failed(&self, row: &Row) -> bool {
        has_failed(self, row)
    }

    /// Whether something is still there of what the goal does not ask for.
    pub fn is_superfluous(&self, row: &Row) -> bool {
        let is_wanted = self.index.names.get(&row.name).is_some_and(|named| named.is_in_target);
        row.stage != Stage::Gone && !row.adopted && !is_wanted
    }

    /// The properties that the goal asks for of the thing that a row stands for; nothing for a row that stands for none, or to
    /// which something is being done.
    pub fn properties(&self, row: Id) -> Option<Value> {
        let known = &self.rows.get(&row)?.row;
        let place = self.index.names.get_index_of(&known.name)?;
        let named = &self.index.names[place];
        let stands = named.is_in_target && named.missing == 0 && named.pick == Some(row) && known.is_idle();
        // Of a row that differs it is not known yet what it has: it will be updated.
        let is_it = stands && self.wanted(place).is_some_and(|wanted| is_free(known, wanted));
        is_it.then(|| self.resolved(place).ok()).flatten().map(|wanted| wanted.properties)
    }

    /// Whether all that the goal asks for is there.
    pub fn is_done(&self) -> bool {
        self.goal.is_some() && self.index.undone == 0
    }

    /// The types of which only the cloud can say how something goes on that was begun.
    pub fn watched(&self) -> BTreeSet<Name> {
        let is_watched = |entry: &&Entry| matches!(entry.phase, Phase::Accepted | Phase::Lease);
        self.rows.values().filter(is_watched).map(|entry| entry.row.kind.clone()).collect()
    }

    /// Whether nothing is under way.
    pub fn is_quiet(&self) -> bool {
        self.under_way == 0
    }

    /// A name that was never given before.
    pub(crate) fn issue(&mut self) -> Id {
        self.issued += 1;
        Id { term: self.term, number: self.issued }
    }

    /// Puts a reached goal in front of those before.
    pub(crate) fn keep(&mut self, good: Good) {
        self.out.writes.push(Write::Good(good.clone()));
        self.good.push_front(good);
        self.good.truncate(KEPT);
    }

    /// Has a row written as it is now. Writes are in the order in which things changed, so that whatever part of them is stored is a
    /// state that rules have led to.
    pub(crate) fn write(&mut self, id: Id) {
        let is_it = |write: &Write| match write {
            Write::Row(row) => row.id == id,
            Write::Remove(removed) => *removed == id,
            Write::Goal(_) | Write::Good(_) => false,
        };
        if self.out.writes.last().is_some_and(is_it) {
            self.out.writes.pop();
        }
        let row = self.rows.get(&id).map(|entry| Box::new(entry.row.clone()));
        self.out.writes.push(row.map_or(Write::Remove(id), Write::Row));
    }
}
