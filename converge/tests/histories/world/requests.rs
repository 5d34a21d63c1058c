//! Requests: how workers make them, and their fate in the cloud.

use std::time::Duration;

use wattle_converge::{Job, Outcome, Time, What};

use super::World;
use super::happening::{Fate, Happening};

/// After this time a worker gives up a request.
const TIMEOUT: u64 = 60_000;
/// A request arrives within this time, or never.
pub(super) const LATEST: u64 = 85_000;

impl World {
    /// Lets a worker start a job, or respond that it is too late.
    pub(super) fn begin(&mut self, leader: usize, job: Box<Job>) {
        let answer = |outcome| Happening::Answer { leader, job: job.id, row: job.row, outcome };
        if Time::from_millis(self.now) > job.not_after {
            return self.after(0, answer(Outcome::Later(Duration::ZERO)));
        }
        let faults = self.faults;
        if self.chance.once_in(faults.lost) {
            return self.after(TIMEOUT, answer(Outcome::Unknown));
        }
        let fate = self.fate(&job);
        if self.chance.once_in(faults.late) {
            let delay = self.chance.below(LATEST);
            self.after(TIMEOUT, answer(Outcome::Unknown));
            return self.after(delay, Happening::Arrive { leader, job, fate, is_heard: false, is_double: false });
        }
        let is_heard = !self.chance.once_in(faults.unheard);
        if !is_heard {
            self.after(TIMEOUT, answer(Outcome::Unknown));
        }
        let delay = self.chance.below(faults.latency);
        self.after(delay, Happening::Arrive { leader, job, fate, is_heard, is_double: false });
    }

    fn fate(&mut self, job: &Job) -> Fate {
        if job.what == What::Drain {
            return Fate::Done;
        }
        let faults = self.faults;
        if self.chance.once_in(faults.later) {
            Fate::Later
        } else if self.chance.once_in(faults.refused) {
            Fate::Refused
        } else if self.chance.once_in(faults.broken) {
            Fate::Broken
        } else if self.chance.once_in(faults.endless) {
            Fate::Endless
        } else if self.chance.once_in(faults.accepted) {
            Fate::Accepted
        } else {
            Fate::Done
        }
    }

    /// Handles the arrival of a request at the cloud.
    pub(super) fn arrive(&mut self, leader: usize, job: &Job, fate: Fate, is_heard: bool, is_double: bool) {
        let is_a_creation = matches!(job.what, What::Create { .. }) && fate == Fate::Done;
        if is_a_creation && !is_double && self.chance.once_in(self.faults.doubled) {
            let (delay, job) = (self.chance.below(LATEST), Box::new(job.clone()));
            self.after(delay, Happening::Arrive { leader, job, fate, is_heard: false, is_double: true });
        }
        let outcome = match fate {
            Fate::Later => Ok(Outcome::Later(Duration::from_millis(self.chance.below(90_000)))),
            Fate::Refused => Ok(Outcome::Refused("the cloud will not".into())),
            Fate::Accepted | Fate::Endless if job.what == What::Delete => Ok(self.accept_deletion(job, fate)),
            Fate::Done | Fate::Broken | Fate::Accepted | Fate::Endless => self.cloud.arrive(job, is_double),
        };
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(what) => return self.breaks(|| what),
        };
        if let (Outcome::Done(Some(thing)), Fate::Broken | Fate::Accepted | Fate::Endless) = (&outcome, fate) {
            let phys = thing.phys.clone();
            let patience = match fate {
                Fate::Endless => u64::MAX,
                _ => self.now + self.chance.below(600_000),
            };
            let made = self.cloud.things.get_mut(&phys).expect("it is there");
            if fate == Fate::Broken {
                made.is_broken = true;
                outcome = Outcome::Broken("it broke".into());
            } else {
                made.busy_until = patience;
                made.is_broken |= self.chance.once_in(self.faults.broken);
                outcome = Outcome::Accepted(Some(phys));
            }
        }
        let (id, row) = (job.id, job.row);
        self.say(|| format!("{id} for {row} arrives{}: {outcome:?}", if is_double { " again" } else { "" }));
        if !is_heard {
            return;
        }
        let delay = self.chance.below(self.faults.latency);
        if matches!(outcome, Outcome::Accepted(_)) {
            for times in [1, 3, 10, 40] {
                self.after(times * 20_000, Happening::Look { leader });
            }
        }
        if self.chance.once_in(self.faults.answered_twice) {
            let again = delay + self.chance.below(100_000);
            self.after(again, Happening::Answer { leader, job: id, row, outcome: outcome.clone() });
        }
        self.after(delay, Happening::Answer { leader, job: id, row, outcome });
    }

    /// Accepts a deletion, which may never happen.
    fn accept_deletion(&mut self, job: &Job, fate: Fate) -> Outcome {
        let Some(phys) = self.cloud.find(job) else { return Outcome::Absent };
        match self.cloud.is_referred_to(&phys) {
            Err(what) => self.breaks(|| what),
            Ok(Some(refused)) => return refused,
            Ok(None) => {}
        }
        self.cloud.things.get_mut(&phys).expect("it was found").busy_until = u64::MAX;
        if fate == Fate::Accepted {
            let delay = self.chance.below(300_000);
            self.after(delay, Happening::Vanish { phys });
        }
        Outcome::Accepted(None)
    }
}
