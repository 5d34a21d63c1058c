//! Limits how much of a recipe's output goes to the agent's log.

use tokio::time::Instant;

/// The burst size: bytes that a run may print at once, all of which are logged.
const BURST: usize = 1 << 20;
/// The sustained rate, in bytes per second.
const STEADY: usize = 64 << 10;
/// The overhead of a line besides its text: time, level and the component's name.
const LINE: usize = 64;

/// The remaining budget of one run.
#[derive(Debug)]
pub(super) struct Rate {
    bytes: usize,
    at: Instant,
    left_out: u64,
}

impl Rate {
    pub(super) fn new(now: Instant) -> Self {
        Self { bytes: BURST, at: now, left_out: 0 }
    }

    /// Whether a line of this many bytes is logged.
    pub(super) fn admit(&mut self, bytes: usize, now: Instant) -> bool {
        let gained = now.saturating_duration_since(self.at).as_millis() * STEADY as u128 / 1000;
        if gained > 0 {
            self.bytes = usize::try_from(gained).unwrap_or(BURST).saturating_add(self.bytes).min(BURST);
            self.at = now;
        }
        let cost = bytes + LINE;
        // After a gap, wait for room for more than one line, so that gaps are few.
        let needed = if self.left_out > 0 { cost.max(STEADY) } else { cost };
        let is_admitted = self.bytes >= needed;
        if is_admitted {
            self.bytes -= cost;
        } else {
            self.left_out += 1;
        }
        is_admitted
    }

    /// The message about lines omitted since the last call; `None` if there are none.
    pub(super) fn gap(&mut self) -> Option<String> {
        let count = std::mem::take(&mut self.left_out);
        let lines = if count == 1 { "line is" } else { "lines are" };
        (count > 0).then(|| {
            format!("… {count} {lines} left out here: the recipe prints more than {} KiB a second", STEADY >> 10)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_is_logged_and_a_flood_is_not() {
        let start = Instant::now();
        let mut rate = Rate::new(start);
        let line = 100;
        let admitted = (0..100_000).filter(|_| rate.admit(line, start)).count();
        assert_eq!(admitted, BURST / (line + LINE));
        let gap = rate.gap().unwrap();
        assert!(gap.starts_with(&format!("… {} lines are left out here", 100_000 - admitted)), "{gap}");
        assert_eq!(rate.gap(), None);
        // An hour at a thousand lines a second.
        let (mut admitted, mut gaps) = (0, 0);
        for milli in 0..3_600_000 {
            let now = start + Duration::from_millis(milli);
            if rate.admit(line, now) {
                admitted += line + LINE;
                gaps += u64::from(rate.gap().is_some());
            }
        }
        assert!(admitted <= 3601 * STEADY, "{admitted}");
        assert!(gaps <= 3601, "{gaps}");
    }
}
