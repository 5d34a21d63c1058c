//! A wait: for all that somebody needs, at the same time, and no longer than it may take.

use std::time::Duration;

use wattle_model::Name;
use wattle_model::values::ASKING;

use crate::failure::Kind;
use crate::status::Waiting;
use crate::time::Time;

use super::causes::{self, Cause};
use super::event::Now;
use super::needs::{self, Awaited, Found, Missing, Needs};

/// A wait.
#[derive(Debug)]
pub(super) struct Wait {
    missing: Needs,
    since: Time,
    limit: Duration,
    end: Duration,
    stage: Stage,
    may_stay: bool,
    /// What came before it in order and failed.
    out_of_order: Option<Missing>,
}

/// How far it is.
#[derive(Debug)]
enum Stage {
    /// It may still take time.
    Patient,
    /// It is over, and why was asked.
    Asking,
    /// Others are in the way who wait in vain as well: it waits until then for their failure, to pass it on.
    Lingering { until: Duration, message: String },
}

/// What is to be done about a wait.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// Nothing.
    Wait,
    /// Find out why these do not come.
    Explain(Vec<Name>),
    /// It is over.
    Over(Result<(), Missing>),
    /// All values are there, but what came before in order alone failed: whoever is unchanged stays as it is.
    OutOfOrder(Missing),
}

impl Wait {
    pub(super) fn new(needs: Needs, limit: Duration, now: Now) -> Self {
        let end = now.uptime.saturating_add(limit);
        Self { missing: needs, since: now.wall, limit, end, stage: Stage::Patient, may_stay: false, out_of_order: None }
    }

    /// Of what may be found unchanged: it goes on for values though what it comes after has failed, as `failed` has already.
    pub(super) fn that_may_stay(mut self, failed: Option<Missing>) -> Self {
        (self.may_stay, self.out_of_order) = (true, failed);
        self
    }

    pub(super) fn shown(&self) -> Vec<Waiting> {
        needs::shown(&self.missing, self.since)
    }

    /// For so long nothing ran here.
    pub(super) fn excuse(&mut self, pause: Duration) {
        self.end = self.end.saturating_add(pause);
    }

    /// When something is to be done about it.
    pub(super) fn wakes(&self) -> Option<Duration> {
        match &self.stage {
            Stage::Patient => Some(self.end),
            Stage::Asking => None,
            Stage::Lingering { until, .. } => Some(*until),
        }
    }

    /// Takes what has come. Whatever does not come ends the wait for the rest.
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
            // Something has come since it was asked why nothing does.
            self.stage = Stage::Patient;
        }
        match &self.stage {
            Stage::Patient if now.uptime >= self.end => {
                self.stage = Stage::Asking;
                Next::Explain(causes::asked(&self.missing))
            }
            Stage::Lingering { until, message } if now.uptime >= *until => {
                Next::Over(Err(Missing::Own(Kind::Wait, message.clone())))
            }
            Stage::Patient | Stage::Asking | Stage::Lingering { .. } => Next::Wait,
        }
    }

    /// Why it was in vain is known.
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
