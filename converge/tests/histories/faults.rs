//! What goes wrong in a history: few things in most, so that each is seen alone and with each other.

use super::chance::Chance;

/// Each number is of how many one goes wrong; none of 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// A request never arrives.
    pub(crate) lost: u64,
    /// A request arrives, and nobody hears of it.
    pub(crate) unheard: u64,
    /// A request arrives after its worker has given it up.
    pub(crate) late: u64,
    /// A request for a creation arrives twice, and makes two things.
    pub(crate) doubled: u64,
    /// An answer comes twice.
    pub(crate) answered_twice: u64,
    /// The cloud asks to come back later.
    pub(crate) later: u64,
    pub(crate) refused: u64,
    pub(crate) broken: u64,
    /// The cloud says that it will do it, and does it later.
    pub(crate) accepted: u64,
    /// What it said it would do never ends.
    pub(crate) endless: u64,
    /// A leader dies with some of a step stored, or with some of its jobs begun.
    pub(crate) crash: u64,
    /// Another leader takes over from one that goes on.
    pub(crate) deposed: u64,
    /// What a leader writes takes its time to the store.
    pub(crate) slow: u64,
    /// A leader leaves in good order.
    pub(crate) leaves: u64,
    /// Somebody adopts what was there before, at each goal.
    pub(crate) adopted: u64,
    /// Things vanish, change or break, at each look at them.
    pub(crate) drift: u64,
    /// Milliseconds of a request or an answer at most.
    pub(crate) latency: u64,
    /// Milliseconds between goals at most.
    pub(crate) pace: u64,
    /// How many jobs a leader has carried out at once.
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

    /// The same with leaders that come and go, and with things that were there before.
    pub(crate) fn of_comers(self, chance: &mut Chance) -> Self {
        let mut some = |rates: [u64; 2]| if chance.flip() { rates[chance.index(2)] } else { 0 };
        Self { slow: some([3, 12]), leaves: some([8, 30]), adopted: some([1, 3]), ..self }
    }

    /// Nothing goes wrong any more.
    pub(crate) fn none(self) -> Self {
        Self { latency: 1_000, pace: self.pace, at_once: self.at_once, ..Self::default() }
    }
}
