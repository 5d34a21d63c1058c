//! The world of a history: a clock, a queue of what happens, a cloud, a store, and leaders.

mod comers;
mod ends;

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use wattle_converge::{
    Act, Cleanup, Desire, Event, Id, Job, Limits, Notice, OnFailure, Outcome, Refusal, Row, Sight, Stage, State, Step,
    Time, What, Write,
};
use wattle_model::Name;

use super::chance::Chance;
use super::cloud::{Cloud, Made, attribute_of};
use super::faults::Faults;
use super::store::Store;
use super::wish::{Wish, may_be_noted};

/// After this a worker gives a request up.
const TIMEOUT: u64 = 60_000;
/// A request arrives within this, or never.
const LATEST: u64 = 85_000;
/// More happens in no history.
const MOST: u64 = 30_000;
/// When nothing goes wrong any more, so much time is enough for everything.
const PATIENCE: u64 = 12 * 3_600_000;

/// Histories up to this one have no comers and goers, and nothing that shows what can be read of others, so that it is known of bugs which of them finds them first.
const LATER: u64 = 5_000;

/// How a request fares.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Done,
    Later,
    Refused,
    Broken,
    Accepted,
    Endless,
}

#[derive(Debug)]
enum Happening {
    /// A worker begins.
    Begin {
        leader: usize,
        job: Box<Job>,
    },
    /// A request reaches the cloud. Its worker hears of it unless it does not wait any more.
    Arrive {
        leader: usize,
        job: Box<Job>,
        fate: Fate,
        is_heard: bool,
        is_double: bool,
    },
    /// A worker answers.
    Answer {
        leader: usize,
        job: Id,
        row: Id,
        outcome: Outcome,
    },
    /// The cloud comes to what it said that it would do.
    Vanish {
        phys: Name,
    },
    /// An observer asks, the cloud answers, the leader hears.
    Look {
        leader: usize,
    },
    Listed {
        leader: usize,
        at: u64,
    },
    Seen {
        leader: usize,
        at: u64,
        things: BTreeMap<Name, Made>,
        now: u64,
    },
    Wake {
        leader: usize,
        at: u64,
    },
    Lead,
    /// What a leader writes reaches the store.
    Written {
        leader: usize,
        step: Step,
    },
    /// A leader that is to leave does.
    Leave {
        leader: usize,
    },
    Want,
    Calm,
}

#[derive(Debug)]
struct Scheduled {
    at: u64,
    number: u64,
    what: Happening,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

struct Leader {
    term: u64,
    state: Option<State>,
    wake: Option<u64>,
    /// What it hears while what it writes is on its way.
    hears: Option<Vec<Event>>,
    /// It begins nothing more, and ends soon.
    leaves: bool,
}

/// Everything.
pub(crate) struct World {
    chance: Chance,
    now: u64,
    number: u64,
    queue: BinaryHeap<Scheduled>,
    cloud: Cloud,
    store: Store,
    leaders: Vec<Leader>,
    faults: Faults,
    wish: Wish,
    size: usize,
    /// Things may show what can be read of others.
    shows: bool,
    is_calm: bool,
    /// Each step is held against the predicates computed from scratch.
    is_compared: bool,
    /// Writes of rows since the last goal, and jobs.
    writes: BTreeMap<Id, usize>,
    others: usize,
    jobs: usize,
    releases: usize,
    /// Rows whose software was asked to be torn down.
    drained: BTreeSet<Id>,
    settled: Option<(u64, Vec<String>)>,
    pub(crate) happened: u64,
    trace: Option<Vec<String>>,
    pub(crate) broken: Option<String>,
}

/// How a history went.
pub(crate) struct Went {
    pub(crate) broken: Option<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) happened: u64,
}

fn limits(faults: &Faults) -> Limits {
    Limits { at_once: faults.at_once, ..Limits::default() }
}

impl World {
    /// Runs the history of a seed. A panic breaks it like anything else.
    pub(crate) fn run(seed: u64, is_traced: bool) -> Went {
        let mut world = Self::new(seed, is_traced);
        let ran = catch_unwind(AssertUnwindSafe(|| world.history()));
        if let Err(panic) = ran {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            world.breaks(|| format!("it panics: {}", text.unwrap_or("without a word")));
        }
        Went { broken: world.broken, trace: world.trace.unwrap_or_default(), happened: world.happened }
    }

    fn new(seed: u64, is_traced: bool) -> Self {
        let mut chance = Chance::new(seed);
        let faults = Faults::draw(&mut chance);
        let faults = if seed > LATER && seed % 4 == 3 { faults.of_comers(&mut chance) } else { faults };
        let size = 1 + chance.index(7);
        Self {
            chance,
            now: 1_000_000,
            number: 0,
            queue: BinaryHeap::new(),
            cloud: Cloud::default(),
            store: Store::default(),
            leaders: Vec::new(),
            faults,
            wish: Wish::default(),
            size,
            shows: seed > LATER && seed % 4 == 1,
            is_calm: false,
            is_compared: seed.is_multiple_of(16),
            writes: BTreeMap::new(),
            others: 0,
            jobs: 0,
            releases: 0,
            drained: BTreeSet::new(),
            settled: None,
            happened: 0,
            trace: is_traced.then(Vec::new),
            broken: None,
        }
    }

    fn history(&mut self) {
        let faults = self.faults;
        self.say(|| format!("{faults:?}"));
        self.after(0, Happening::Lead);
        self.after(1, Happening::Want);
        let goals = self.chance.between(2, 7);
        self.after(goals * faults.pace, Happening::Calm);
        self.go_on();
        self.ends();
    }

    fn current(&self) -> Option<&State> {
        self.leaders.last().and_then(|leader| leader.state.as_ref())
    }

    fn say(&mut self, text: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            let text: String = text().chars().take(700).collect();
            trace.push(format!("{:>8}.{:03} {text}", self.now / 1000, self.now % 1000));
        }
    }

    fn breaks(&mut self, what: impl FnOnce() -> String) {
        if self.broken.is_none() {
            let text = what();
            self.say(|| format!("BROKEN: {text}"));
            self.broken = Some(text);
        }
    }

    fn after(&mut self, delay: u64, what: Happening) {
        self.number += 1;
        self.queue.push(Scheduled { at: self.now + delay, number: self.number, what });
    }

    fn go_on(&mut self) {
        let patience = self.now + PATIENCE;
        while let Some(next) = self.queue.pop() {
            self.now = self.now.max(next.at);
            self.happened += 1;
            if self.broken.is_some() {
                return;
            }
            if self.happened > MOST || (self.is_calm && self.now > patience) {
                return self.breaks(|| format!("it goes on and on, with {:?}", next.what));
            }
            self.happens(next.what);
        }
    }

    fn happens(&mut self, what: Happening) {
        match what {
            Happening::Begin { leader, job } => self.begin(leader, job),
            Happening::Arrive { leader, job, fate, is_heard, is_double } => {
                self.arrive(leader, &job, fate, is_heard, is_double);
            }
            Happening::Answer { leader, job, row, outcome } => self.tell(leader, Event::Done { job, row, outcome }),
            Happening::Vanish { phys } => {
                self.cloud.things.remove(&phys);
            }
            Happening::Look { leader } => {
                let (at, delay) = (self.now, self.chance.below(self.faults.latency));
                self.after(delay, Happening::Listed { leader, at });
            }
            Happening::Listed { leader, at } => {
                self.drifts();
                let (things, delay) = (self.cloud.things.clone(), self.chance.below(self.faults.latency));
                let now = self.now;
                self.after(delay, Happening::Seen { leader, at, things, now });
            }
            Happening::Seen { leader, at, things, now } => self.sees(leader, at, &things, now),
            Happening::Wake { leader, at } => {
                if self.leaders[leader].wake == Some(at) {
                    self.leaders[leader].wake = None;
                    self.tell(leader, Event::Tick);
                }
            }
            Happening::Lead => self.lead(),
            Happening::Written { leader, step } => self.written(leader, step),
            Happening::Leave { leader } => self.leaves(leader),
            Happening::Want => self.wants(),
            Happening::Calm => {
                self.is_calm = true;
                self.faults = self.faults.none();
                self.cloud.things.values_mut().for_each(|thing| thing.busy_until = 0);
                // Observers look often enough that whatever was made by whom is seen.
                for delay in [LATEST, 2 * LATEST, 3 * LATEST, 20 * LATEST, 100 * LATEST] {
                    let leader = self.leaders.len() - 1;
                    self.after(delay, Happening::Look { leader });
                }
                if self.current().is_none() {
                    self.after(0, Happening::Lead);
                }
            }
        }
    }

    /// Somebody wants something else.
    fn wants(&mut self) {
        if self.is_calm {
            return;
        }
        let delay = self.chance.below(self.faults.pace);
        self.after(delay, Happening::Want);
        let leader = self.leaders.len() - 1;
        if self.leaders[leader].state.is_none() || self.leaders[leader].leaves {
            return;
        }
        if self.chance.once_in(self.faults.adopted) {
            self.adopts(leader);
        }
        let event = if self.chance.once_in(4) {
            let to = self.store.good.get(self.chance.index(4)).map(|good| good.goal.generation);
            Event::Rollback { to: to.filter(|_| self.chance.flip()) }
        } else {
            if !self.chance.once_in(5) {
                self.wish = self.wish.next(&mut self.chance, self.size, self.shows);
            }
            let wish = if self.chance.once_in(16) { self.wish.clashing() } else { self.wish.clone() };
            let deadline = self
                .chance
                .once_in(8)
                .then(|| Time::from_millis(self.now) + Duration::from_millis(self.chance.below(400_000)));
            Event::Desire(Desire {
                deadline,
                on_failure: if self.chance.once_in(4) { OnFailure::Rollback } else { OnFailure::Stop },
                cleanup: if self.chance.once_in(4) { Cleanup::Early } else { Cleanup::Last },
                corrects: self.chance.once_in(3),
                ..Desire::new(wish.target())
            })
        };
        self.tell(leader, event);
    }

    /// A new leader takes over.
    fn lead(&mut self) {
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

    /// A leader is told something.
    fn tell(&mut self, leader: usize, event: Event) {
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

    /// A leader has its writes stored, and then its jobs begun.
    fn carry_out(&mut self, leader: usize, step: Step) {
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
            self.others += usize::from(matches!(write, Write::Goal(_) | Write::Good(_)));
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
                    // What is to be adopted may have another thing by the time that the leader hears of it.
                    Notice::Stalled(_) | Notice::Look(_) | Notice::Refused(Refusal::Stands { .. }) => {}
                    // Only so many goals are kept, and more may have been reached by the time that the leader hears of it.
                    Notice::Refused(Refusal::NoGoal(generation)) if !self.store.has_reached(generation) => {}
                    Notice::Refused(refusal) => self.breaks(|| format!("it refuses a goal: {refusal}")),
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

    /// A worker begins a job, or answers that it is too late for it.
    fn begin(&mut self, leader: usize, job: Box<Job>) {
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

    /// A request reaches the cloud.
    fn arrive(&mut self, leader: usize, job: &Job, fate: Fate, is_heard: bool, is_double: bool) {
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

    /// The cloud will delete it, or never comes to it.
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

    /// Something happens to things behind everybody's back.
    fn drifts(&mut self) {
        let things: Vec<Name> = self.cloud.things.keys().cloned().collect();
        for phys in things {
            if !self.chance.once_in(self.faults.drift.saturating_mul(3)) {
                continue;
            }
            let kind = self.chance.index(4);
            self.say(|| format!("{phys} drifts, in way {kind}"));
            let thing = self.cloud.things.get_mut(&phys).expect("it is there");
            match kind {
                0 => thing.is_changed = true,
                1 => thing.is_broken = true,
                2 => thing.is_broken = false,
                _ => {
                    self.cloud.things.remove(&phys);
                }
            }
        }
    }

    /// A leader hears what there was when the cloud was asked: of each thing, and of each row without one.
    fn sees(&mut self, leader: usize, at: u64, things: &BTreeMap<Name, Made>, then: u64) {
        let Some(state) = &self.leaders[leader].state else { return };
        let of_phys: BTreeMap<Name, Id> =
            state.rows().filter_map(|row| Some((row.thing.as_ref()?.phys.clone(), row.id))).collect();
        let mut sights = Vec::new();
        let mut absent: BTreeSet<Id> = state.rows().filter(|row| row.stage != Stage::Gone).map(|row| row.id).collect();
        for (phys, made) in things {
            // Nobody knows what was there before until somebody adopts it.
            if made.is_nobodys() && !of_phys.contains_key(phys) {
                continue;
            }
            let mark = of_phys.get(phys).copied().unwrap_or(made.mark);
            let attributes = [(Name::from("a"), attribute_of(things, phys).into())];
            let thing = wattle_converge::Thing { phys: phys.clone(), attributes: attributes.into() };
            absent.remove(&mark);
            sights.push((
                mark,
                match made {
                    _ if made.busy_until > then => Sight::Busy(phys.clone()),
                    _ if made.is_broken => Sight::Broken(phys.clone(), "it is broken".into()),
                    _ if made.is_changed => Sight::Changed(thing, "somebody changed it".into()),
                    _ => Sight::Ready(thing),
                },
            ));
        }
        sights.extend(absent.into_iter().map(|mark| (mark, Sight::Absent)));
        for (mark, sight) in sights {
            self.tell(leader, Event::Seen { mark, kind: "thing".into(), at: Time::from_millis(at), sight });
        }
    }
}
