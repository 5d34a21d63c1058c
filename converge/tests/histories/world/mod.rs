//! The world of a history: a clock, a queue of events, a cloud, a store, and leaders.

mod comers;
mod ends;
mod happening;
mod leaders;
mod requests;
mod sights;
mod wants;

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use wattle_converge::{Event, Id, State};

use super::chance::Chance;
use super::cloud::Cloud;
use super::faults::Faults;
use super::store::Store;
use super::wish::Wish;
use happening::{Happening, Scheduled};
use leaders::Leader;
use requests::LATEST;

/// The maximum number of events of a history.
const MOST: u64 = 30_000;
/// The time without faults that is enough for everything.
const PATIENCE: u64 = 12 * 3_600_000;

/// Histories up to this one have neither leaders that come and go nor attributes that show others, so that it stays
/// known which of them first finds each bug.
const LATER: u64 = 5_000;

/// All participants.
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
    /// Whether attributes may show those of others.
    shows: bool,
    is_calm: bool,
    /// Whether each step is compared to the predicates computed from scratch.
    is_compared: bool,
    /// Writes of rows since the last desired state, and jobs.
    writes: BTreeMap<Id, usize>,
    others: usize,
    jobs: usize,
    releases: usize,
    /// Rows whose software was requested to be torn down.
    drained: BTreeSet<Id>,
    settled: Option<(u64, Vec<String>)>,
    pub(crate) happened: u64,
    trace: Option<Vec<String>>,
    pub(crate) broken: Option<String>,
}

/// The result of a history.
pub(crate) struct Went {
    pub(crate) broken: Option<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) happened: u64,
}

impl World {
    /// Runs the history of a seed. A panic counts as a failure.
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
        let requests = self.chance.between(2, 7);
        self.after(requests * faults.pace, Happening::Calm);
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
                // Observations are frequent enough that every thing is seen, whoever created it.
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
}
