//! The faults of a history: few in most, so that each occurs alone and in combinations.

use super::chance::Chance;

/// Each number is the period of a fault: one of so many; 0 for never.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// A request never arrives.
    pub(crate) lost: u64,
    /// A request arrives, and its response is lost.
    pub(crate) unheard: u64,
    /// A request arrives after its worker has given up.
    pub(crate) late: u64,
    /// A request for a creation arrives twice, and creates two things.
    pub(crate) doubled: u64,
    /// A response arrives twice.
    pub(crate) answered_twice: u64,
    /// The cloud requests a retry later.
    pub(crate) later: u64,
    pub(crate) refused: u64,
    pub(crate) broken: u64,
    /// The cloud accepts a request, and carries it out later.
    pub(crate) accepted: u64,
    /// An accepted request never ends.
    pub(crate) endless: u64,
    /// A leader dies with some of a step stored, or with some of its jobs started.
    pub(crate) crash: u64,
    /// Another leader takes over from one that continues.
    pub(crate) deposed: u64,
    /// A leader's writes take time to reach the store.
    pub(crate) slow: u64,
    /// A leader leaves in an orderly way.
    pub(crate) leaves: u64,
    /// Somebody adopts existing things, at each new desired state.
    pub(crate) adopted: u64,
    /// Things vanish, change or break, at each observation.
    pub(crate) drift: u64,
    /// The maximum latency of a request or a response, in milliseconds.
    pub(crate) latency: u64,
    /// The maximum time between desired states, in milliseconds.
    pub(crate) pace: u64,
    /// How many jobs a leader runs concurrently.
    pub(crate) at_once: usize,
}

impl Faults {
    pub(crate) fn draw(chance: &mut Chance) -> Self {
        let often = [2, 3, 6][chance.index(3)];
        let mut some = |rates: [u64; 2]| if chance.once_in(often) { rates[chance.index(2)] } else { 0 };
        Self {
            lost: some([4, 12]),
            unheard: some([4, 12]),
            late: some([4, 12]),
            doubled: some([3, 10]),
            answered_twice: some([2, 8]),
            later: some([2, 5]),
            refused: some([4, 15]),
            broken: some([4, 15]),
            accepted: some([1, 3]),
            endless: some([8, 25]),
            crash: some([5, 25]),
            deposed: some([10, 30]),
            slow: 0,
            leaves: 0,
            adopted: 0,
            drift: some([3, 15]),
            latency: [10, 1_000, 20_000][chance.index(3)],
            pace: [200, 5_000, 60_000, 600_000][chance.index(4)],
            at_once: [1, 2, 64, 64][chance.index(4)],
        }
    }

    /// Adds leaders that come and go, and preexisting things.
    pub(crate) fn of_comers(self, chance: &mut Chance) -> Self {
        let mut some = |rates: [u64; 2]| if chance.flip() { rates[chance.index(2)] } else { 0 };
        Self { slow: some([3, 12]), leaves: some([8, 30]), adopted: some([1, 3]), ..self }
    }

    /// Ends all faults.
    pub(crate) fn none(self) -> Self {
        Self { latency: 1_000, pace: self.pace, at_once: self.at_once, ..Self::default() }
    }
}
