//! Schedules: the order of starts and ends where nothing forces one.

use std::time::Duration;

/// The order of events where nothing forces one: how long servers take to boot, recipes to run, and agents to notice.
///
/// Unless a fake specifies otherwise ([`Trial::fake_taking`](super::Trial::fake_taking)), each of these takes less than a
/// microsecond of the run's own time. So a schedule alone never makes anything miss a deadline.
///
/// ```
/// # use wattle::prelude::*;
/// # #[component(recipe = "src/check/examples/greet.sh")]
/// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
/// # #[blueprint]
/// # pub fn hello(t: &mut Topology) -> Exports {
/// #     let [alice, bob] = ["alice", "bob"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
/// #     let first = t.on(alice).run("greeter", Greeter::new().name("world"));
/// #     let second = t.on(bob).run("greeter", Greeter::new().name(first.greeting));
/// #     Exports::new().entry("greeting", second.greeting)
/// # }
/// use wattle::testing::{Schedule, Trial};
///
/// let run = Trial::of(hello).made_up().schedule(Schedule::Reversed).run();
/// assert_eq!(run.started(), ["alice/greeter", "bob/greeter"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// At random. The same seed always gives the same run.
    Seed(u64),
    /// In the order of the blueprint: what was declared first comes first.
    Declared,
    /// In reverse: what was declared last comes first.
    Reversed,
    /// The components that most others wait for take longest.
    SlowestFirst,
}

impl Schedule {
    /// The schedules that provoke problems.
    pub(super) const ADVERSARIAL: [Self; 3] = [Self::Declared, Self::Reversed, Self::SlowestFirst];
}

/// `seed 17`, `the schedule Reversed`.
impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seed(seed) => write!(f, "seed {seed}"),
            other => write!(f, "the schedule {other:?}"),
        }
    }
}

/// The times of one run.
pub(super) struct Clock {
    schedule: Schedule,
    random: Random,
    /// The number of others that wait for each component, directly or not.
    dependents: Vec<usize>,
}

impl Clock {
    pub(super) fn new(schedule: Schedule, dependents: Vec<usize>) -> Self {
        let seed = if let Schedule::Seed(seed) = schedule { seed } else { 0 };
        Self { schedule, random: Random(seed), dependents }
    }

    /// How long the server with the index `place`, of `of` servers, takes to boot.
    pub(super) fn boot(&mut self, place: usize, of: usize) -> Duration {
        match self.schedule {
            Schedule::Seed(_) => self.random.below(1_000),
            Schedule::Declared | Schedule::SlowestFirst => nanos(place),
            Schedule::Reversed => nanos(of - place),
        }
    }

    /// How long the recipe of the component with the index `place` runs.
    pub(super) fn run(&mut self, place: usize) -> Duration {
        match self.schedule {
            Schedule::Seed(_) => self.random.below(1_000),
            Schedule::Declared => nanos(place + 1),
            Schedule::Reversed => nanos(self.dependents.len() - place),
            Schedule::SlowestFirst => nanos(1 + 10 * self.dependents[place]),
        }
    }

    /// How long an agent takes to react to something that the component with the index `place` waited for.
    pub(super) fn notice(&mut self, place: usize) -> Duration {
        match self.schedule {
            Schedule::Seed(_) => self.random.below(100),
            Schedule::Declared | Schedule::SlowestFirst => Duration::ZERO,
            Schedule::Reversed => nanos(self.dependents.len() - place),
        }
    }
}

fn nanos(count: usize) -> Duration {
    Duration::from_nanos(count as u64)
}

/// Pseudo-random numbers (Vigna's `SplitMix`).
struct Random(u64);

impl Random {
    /// A random duration below this number of nanoseconds.
    fn below(&mut self, nanos: u64) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Duration::from_nanos((mixed ^ (mixed >> 31)) % nanos)
    }
}
