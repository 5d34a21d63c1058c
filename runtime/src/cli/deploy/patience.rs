//! How long to wait for software: until a deadline, and only as long as there is progress.

use std::time::Duration;

use wattle_converge::Time;

/// After this time without a change, the user is shown what is awaited.
const STALL: Duration = Duration::from_mins(5);

/// After this time without a change, waiting ends, unless something with a time limit of its own is running.
const LONGEST: Duration = Duration::from_hours(1);

/// The verdict on the present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Wait.
    Wait,
    /// Wait, and report the reason.
    Say,
    /// The deadline has passed.
    TooLate,
    /// There is no progress.
    Stuck,
}

/// Tracks the state of something awaited, and when it last changed.
#[derive(Debug)]
pub(super) struct Patience<S> {
    deadline: Option<Time>,
    state: Option<S>,
    changed: Time,
    is_said: bool,
}

impl<S: PartialEq> Patience<S> {
    pub(super) fn new(deadline: Option<Time>) -> Self {
        Self { deadline, state: None, changed: Time::default(), is_said: false }
    }

    /// Judges the current state. `ends_by_itself` tells whether something with a time limit of its own is running.
    pub(super) fn judge(&mut self, state: S, ends_by_itself: bool, now: Time) -> Verdict {
        if self.state.as_ref() != Some(&state) {
            (self.state, self.changed, self.is_said) = (Some(state), now, false);
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Verdict::TooLate;
        }
        if self.changed + LONGEST <= now && !ends_by_itself {
            return Verdict::Stuck;
        }
        if self.changed + STALL <= now && !std::mem::replace(&mut self.is_said, true) {
            return Verdict::Say;
        }
        Verdict::Wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64) -> Time {
        Time::from_millis(minutes * 60_000)
    }

    #[test]
    fn what_does_not_move_is_said_once_and_then_left() {
        let mut patience = Patience::new(None);
        let mut verdicts = |state: u32, ends: bool, minutes: &[u64]| -> Vec<Verdict> {
            minutes.iter().map(|minutes| patience.judge(state, ends, at(*minutes))).collect()
        };
        assert_eq!(
            verdicts(1, false, &[100, 104, 105, 106]),
            [Verdict::Wait, Verdict::Wait, Verdict::Say, Verdict::Wait]
        );
        assert_eq!(
            verdicts(2, false, &[110, 115, 169, 170]),
            [Verdict::Wait, Verdict::Say, Verdict::Wait, Verdict::Stuck]
        );
        // A recipe with a deadline may use its full time.
        assert_eq!(verdicts(3, true, &[180, 400, 500]), [Verdict::Wait, Verdict::Say, Verdict::Wait]);
        assert_eq!(verdicts(3, false, &[501]), [Verdict::Stuck]);
    }

    #[test]
    fn a_deadline_is_one_whatever_moves() {
        let mut patience = Patience::new(Some(at(30)));
        assert_eq!(patience.judge(1, true, at(29)), Verdict::Wait);
        assert_eq!(patience.judge(2, true, at(30)), Verdict::TooLate);
    }
}
