//! Schedules: who starts and ends when, where nothing makes anybody wait.

use std::time::Duration;

/// Who comes first where nothing makes anybody wait: how long servers boot, recipes run and agents take to notice.
///
/// Whatever a fake does not say itself ([`Trial::fake_taking`](super::Trial::fake_taking)) takes less than a microsecond
/// of the run's own time, so that a schedule alone never lets a deadline pass.
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
    /// By chance; the same seed always gives the same run.
    Seed(u64),
    /// As the blueprint declares it: what was declared first is there first.
    Declared,
    /// The other way round: what was declared last is there first.
    Reversed,
    /// What most others wait for takes longest.
    SlowestFirst,
}

impl Schedule {
    /// Those that look for trouble.
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
    /// How many others wait for each component, directly or not.
    dependents: Vec<usize>,
}

impl Clock {
    pub(super) fn new(schedule: Schedule, dependents: Vec<usize>) -> Self {
        let seed = if let Schedule::Seed(seed) = schedule { seed } else { 0 };
        Self { schedule, random: Random(seed), dependents }
    }

    /// How long the server boots that is at `place` among so many.
    pub(super) fn boot(&mut self, place: usize, of: usize) -> Duration {
        match self.schedule {
            Schedule::Seed(_) => self.random.below(1_000),
            Schedule::Declared | Schedule::SlowestFirst => nanos(place),
            Schedule::Reversed => nanos(of - place),
        }
    }

    /// How long the component's recipe runs that is at `place`.
    pub(super) fn run(&mut self, place: usize) -> Duration {
        match self.schedule {
            Schedule::Seed(_) => self.random.below(1_000),
            Schedule::Declared => nanos(place + 1),
            Schedule::Reversed => nanos(self.dependents.len() - place),
            Schedule::SlowestFirst => nanos(1 + 10 * self.dependents[place]),
        }
    }

    /// How long an agent takes to act on what the component at `place` waited for.
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

/// Numbers that look random (Vigna's split mix).
struct Random(u64);

impl Random {
    /// Up to so many nanoseconds.
    fn below(&mut self, nanos: u64) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Duration::from_nanos((mixed ^ (mixed >> 31)) % nanos)
    }
}
