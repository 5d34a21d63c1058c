//! A wait for everything that a component needs at the same time, with a limit.

use std::time::Duration;

use wattle_model::Name;
use wattle_model::values::ASKING;

use crate::failure::FailureKind;
use crate::status::Waiting;
use crate::time::Time;

use super::causes::{self, Cause};
use super::event::Now;
use super::needs::{self, Awaited, Found, Missing, Needs};

/// A wait, with its limit.
#[derive(Debug)]
pub(super) struct Wait {
    missing: Needs,
    since: Time,
    limit: Duration,
    end: Duration,
    stage: Stage,
    may_stay: bool,
    /// The failure of a predecessor in order.
    out_of_order: Option<Missing>,
}

/// The progress of a wait.
#[derive(Debug)]
enum Stage {
    /// There is still time.
    Patient,
    /// The time is over, and the reason is being determined.
    Asking,
    /// Other components that wait in vain are the cause. It waits until then for their failure, in order to pass it on.
    Lingering { until: Duration, message: String },
}

/// What to do about a wait.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// Nothing.
    Wait,
    /// Determine why these are missing.
    Explain(Vec<Name>),
    /// It is over.
    Over(Result<(), Missing>),
    /// All values are available, but a component that only precedes it in order failed. An unchanged component stays as
    /// it is.
    OutOfOrder(Missing),
}

impl Wait {
    pub(super) fn new(needs: Needs, limit: Duration, now: Now) -> Self {
        let end = now.uptime.saturating_add(limit);
        Self { missing: needs, since: now.wall, limit, end, stage: Stage::Patient, may_stay: false, out_of_order: None }
    }

    /// Creates a wait for a component that may be unchanged: it continues to wait for values even if a predecessor
    /// fails, or has `failed` already.
    pub(super) fn that_may_stay(mut self, failed: Option<Missing>) -> Self {
        (self.may_stay, self.out_of_order) = (true, failed);
        self
    }

    pub(super) fn shown(&self) -> Vec<Waiting> {
        needs::shown(&self.missing, self.since)
    }

    /// Excuses a pause during which nothing ran here.
    pub(super) fn excuse(&mut self, pause: Duration) {
        self.end = self.end.saturating_add(pause);
    }

    /// When to check it again.
    pub(super) fn wakes(&self) -> Option<Duration> {
        match &self.stage {
            Stage::Patient => Some(self.end),
            Stage::Asking => None,
            Stage::Lingering { until, .. } => Some(*until),
        }
    }

    /// Takes arrivals into account. Anything that will not arrive ends the wait for the rest.
    pub(super) fn look(&mut self, found: &Found, now: Now) -> Next {
        let before = self.missing.len();
        let mut failed = None;
        self.missing.retain(|awaited, _| match found.get(awaited) {
            None => true,
            Some(Ok(_)) => false,
            Some(Err(why @ Missing::Failed(_))) if self.may_stay && matches!(awaited, Awaited::Ended(_)) => {
                self.out_of_order.get_or_insert_with(|| why.clone());
                false
            }
            Some(Err(why)) => {
                failed.get_or_insert_with(|| why.clone());
                false
            }
        });
        if let Some(why) = failed {
            return Next::Over(Err(why));
        }
        if self.missing.is_empty() {
            return self.out_of_order.take().map_or(Next::Over(Ok(())), Next::OutOfOrder);
        }
        if self.missing.len() < before && !matches!(self.stage, Stage::Patient) {
            // Something has arrived since the reason was requested.
            self.stage = Stage::Patient;
        }
        match &self.stage {
            Stage::Patient if now.uptime >= self.end => {
                self.stage = Stage::Asking;
                Next::Explain(causes::asked(&self.missing))
            }
            Stage::Lingering { until, message } if now.uptime >= *until => {
                Next::Over(Err(Missing::Own(FailureKind::Wait, message.clone())))
            }
            Stage::Patient | Stage::Asking | Stage::Lingering { .. } => Next::Wait,
        }
    }

    /// Handles the reasons why the wait was in vain.
    pub(super) fn explained(&mut self, causes: &Result<Vec<Cause>, String>, now: Now) {
        if !matches!(self.stage, Stage::Asking) {
            return;
        }
        let message = causes::in_vain(&self.missing, self.limit, self.since, causes);
        let is_far = causes.as_ref().is_ok_and(|causes| causes::are_far(causes, &self.missing));
        let until = if is_far { self.end.saturating_add(ASKING).max(now.uptime) } else { now.uptime };
        self.stage = Stage::Lingering { until, message };
    }
}
