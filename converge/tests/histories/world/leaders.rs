//! Leaders: taking over, their events, and carrying out their decisions.

use std::collections::BTreeSet;

use wattle_converge::{Act, Event, Limits, Notice, Refusal, State, Step, Time, What, Write};

use super::World;
use super::happening::{Happening, Scheduled};
use crate::faults::Faults;

/// A leader, even one that is dead or deposed.
pub(super) struct Leader {
    pub(super) term: u64,
    pub(super) state: Option<State>,
    pub(super) wake: Option<u64>,
    /// The events during its pending writes.
    pub(super) hears: Option<Vec<Event>>,
    /// Whether it starts nothing more, and ends soon.
    pub(super) leaves: bool,
}

fn limits(faults: &Faults) -> Limits {
    Limits { at_once: faults.at_once, ..Limits::default() }
}

impl World {
    /// A new leader takes over.
    pub(super) fn lead(&mut self) {
        self.store.term += 1;
        let term = self.store.term;
        let loaded = State::load(self.store.stored(), term, limits(&self.faults), Time::from_millis(self.now));
        let (state, step) = loaded.expect("what was stored was taken before");
        self.leaders.push(Leader { term, state: Some(state), wake: None, hears: None, leaves: false });
        let leader = self.leaders.len() - 1;
        self.say(|| format!("leader {term} takes over"));
        self.send(leader, step);
        let delay = self.chance.below(60_000);
        self.after(delay, Happening::Look { leader });
    }

    /// Passes an event to a leader.
    pub(super) fn tell(&mut self, leader: usize, event: Event) {
        let now = Time::from_millis(self.now);
        let term = self.leaders[leader].term;
        if let Some(hears) = &mut self.leaders[leader].hears {
            return hears.push(event);
        }
        let Some(state) = &mut self.leaders[leader].state else { return };
        if let Some(trace) = &mut self.trace {
            let text: String = format!("{event:?}").chars().take(700).collect();
            trace.push(format!("{:>8}.{:03} leader {term} hears {text}", self.now / 1000, self.now % 1000));
        }
        let naive = self.is_compared.then(|| {
            let mut other = state.clone();
            let step = other.step_naively(event.clone(), now);
            (format!("{step:?}"), other.rows().cloned().collect::<Vec<_>>())
        });
        let step = state.step(event, now);
        if let Some((naive, rows)) = naive {
            let kept = format!("{step:?}");
            if kept != naive || !state.rows().eq(&rows) {
                return self.breaks(|| format!("what is kept differs from what follows: {kept}, and not {naive}"));
            }
        }
        self.send(leader, step);
    }

    /// Stores a leader's writes, and then starts its jobs.
    pub(super) fn carry_out(&mut self, leader: usize, step: Step) {
        let is_deposed = self.leaders[leader].term != self.store.term;
        if is_deposed && !step.writes.is_empty() {
            self.say(|| "it is deposed".to_owned());
            self.leaders[leader].state = None;
            return;
        }
        let crashes = !is_deposed && !step.writes.is_empty() && self.chance.once_in(self.faults.crash);
        let stored = if crashes { self.chance.index(step.writes.len() + 1) } else { step.writes.len() };
        let mut deleted = BTreeSet::new();
        for write in step.writes.into_iter().take(stored) {
            self.say(|| format!("    writes {write:?}"));
            self.others += usize::from(matches!(write, Write::DesiredState(_) | Write::Good(_)));
            if let Write::Row(row) = &write {
                *self.writes.entry(row.id).or_default() += 1;
                if let Err(what) = self.store.may_begin(row) {
                    return self.breaks(|| what);
                }
                let was = self.store.rows.get(&row.id).is_some_and(|row| row.act() == Some(&Act::Delete));
                if row.act() == Some(&Act::Delete) && !was {
                    deleted.insert(row.id);
                }
            }
            self.store.write(write);
        }
        let mut jobs = step.jobs;
        if crashes {
            self.say(|| "it dies".to_owned());
            self.leaders[leader].state = None;
            let delay = self.chance.below(200_000);
            self.after(delay, Happening::Lead);
            return;
        }
        if !is_deposed {
            let state = self.leaders[leader].state.as_ref();
            if let Err(what) = state.map_or(Ok(()), |state| self.store.check(state, &deleted)) {
                return self.breaks(|| what);
            }
            for notice in step.notices {
                self.say(|| format!("    says {notice:?}"));
                match notice {
                    Notice::Settled { generation, roots } => {
                        self.settled = Some((generation, roots.iter().map(ToString::to_string).collect()));
                    }
                    // A thing may have been replaced by the time that the leader hears of its adoption.
                    Notice::Stalled(_) | Notice::Look(_) | Notice::Refused(Refusal::Stands { .. }) => {}
                    // Only so many desired states are kept, and more may have been reached by the time that the leader
                    // hears of it.
                    Notice::Refused(Refusal::NotReached(generation)) if !self.store.has_reached(generation) => {}
                    Notice::Refused(refusal) => self.breaks(|| format!("it refuses a desired state: {refusal}")),
                }
            }
        }
        let dies = self.chance.once_in(self.faults.crash.saturating_mul(2));
        if dies {
            let begun = self.chance.index(jobs.len() + 1);
            jobs.truncate(begun);
        }
        for job in jobs {
            self.say(|| format!("    has {} {:?} begun for {} ({:?})", job.id, job.what, job.row, job.phys));
            self.jobs += 1;
            if job.what == What::Drain {
                self.drained.insert(job.row);
            }
            let drains = self.store.rows.get(&job.row).is_some_and(|row| row.drains);
            if job.what == What::Delete && drains && !self.drained.contains(&job.row) {
                let text = format!("{} is deleted without a teardown", job.row);
                return self.breaks(|| text);
            }
            self.releases += usize::from(matches!(job.what, What::Release { .. }));
            let delay = self.chance.below(self.faults.latency);
            self.after(delay, Happening::Begin { leader, job: Box::new(job) });
        }
        if dies && !is_deposed {
            self.say(|| "it dies, with its jobs begun".to_owned());
            self.leaders[leader].state = None;
            let delay = self.chance.below(200_000);
            return self.after(delay, Happening::Lead);
        }
        if !is_deposed && self.chance.once_in(self.faults.deposed) {
            let delay = self.chance.below(20_000);
            self.after(delay, Happening::Lead);
        }
        if !is_deposed && self.chance.once_in(self.faults.leaves) {
            self.is_to_leave(leader);
        }
        self.sleep(leader);
    }

    fn sleep(&mut self, leader: usize) {
        let wakes =
            self.leaders[leader].state.as_ref().and_then(State::wakes).map(|at| at.as_millis().max(self.now + 1));
        let wake = &mut self.leaders[leader].wake;
        if let Some(at) = wakes.filter(|at| wake.is_none_or(|wake| wake > *at)) {
            *wake = Some(at);
            let late = self.chance.below(self.faults.latency);
            self.number += 1;
            self.queue.push(Scheduled { at: at + late, number: self.number, what: Happening::Wake { leader, at } });
        }
    }
}
