//! Reproducible randomness.

use std::time::Duration;

/// Pseudo-random numbers that depend only on a seed (Vigna's `SplitMix64`).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Numbers that depend only on `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    ///
    /// # Panics
    /// If `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).expect("INVARIANT: it is below a usize")
    }

    /// Returns true once in `n` on average.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `items`, or `None` if there are none.
    pub fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    /// A duration from `from` up to but excluding `to` milliseconds.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn millis(&mut self, from: usize, to: usize) -> Duration {
        Duration::from_millis((from + self.below(to - from)) as u64)
    }

    /// A duration of up to `seconds`, usually a short one.
    pub fn delay(&mut self, seconds: f64) -> Duration {
        let unit = self.below(1_000_000);
        #[expect(clippy::cast_precision_loss, reason = "below a million")]
        let unit = unit as f64 / 1e6;
        Duration::from_secs_f64(seconds * unit * unit)
    }
}
