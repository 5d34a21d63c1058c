//! Random topologies run by real agents in one process, under a clock that passes when nothing else does: random delays
//! of stores and recipes, crashes at random points, revisions in between.
//!
//! A case is made by its number alone, and is judged by `oracle`, which knows what comes out without running anything.

mod case;
mod fake;
mod oracle;
mod slow;
mod topology;

pub use case::{Chaos, run};

/// Numbers that look random (Vigna's split mix).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers that depend on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`.
    ///
    /// # Panics
    /// When `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("INVARIANT: it is below a usize")
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Up to `seconds`, mostly short.
    pub fn delay(&mut self, seconds: f64) -> std::time::Duration {
        let unit = self.below(1_000_000);
        #[expect(clippy::cast_precision_loss, reason = "below a million")]
        let unit = unit as f64 / 1e6;
        std::time::Duration::from_secs_f64(seconds * unit * unit)
    }
}
