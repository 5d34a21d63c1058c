//! Carries out jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use wattle_converge::{Id, Job, Outcome, What};
use wattle_model::Name;

use super::adopt;
use super::asked::Asked;
use super::fresh::Fresh;
use super::json::sent;
use super::mark::Mark;
use super::resource_type::{ResourceType, kind};
use super::stop::Stop;
use super::work::Work;
use super::{Driver, Found, Made};
use crate::Session;

/// Usually, no property has been dropped since the last action.
static NOTHING: BTreeSet<Name> = BTreeSet::new();

/// Carries out the engine's jobs in one project of an OpenStack cloud.
pub struct OpenStack {
    pub(super) session: Arc<Session>,
    pub(super) marks: Mark,
    pub(super) fresh: Fresh,
    pub(super) asked: Asked,
}

impl OpenStack {
    /// Creates a worker that uses the session's login, for the deployment with this mark.
    pub fn new(session: Arc<Session>, mark: Mark) -> Self {
        Self { session, marks: mark, fresh: Fresh::default(), asked: Asked::default() }
    }

    /// The mark of the deployment.
    pub fn mark(&self) -> &Mark {
        &self.marks
    }

    /// Carries out one job, idempotently. Starts no request after [`Job::not_after`], by the clock of the session's
    /// transport. A creation first checks whether the thing exists, and then creates it with one request. If that request
    /// gets no response, the outcome is [`Outcome::Unknown`].
    pub async fn carry_out(&self, job: &Job) -> Outcome {
        let Some(kind) = kind(&job.kind) else { return unknown(&job.kind) };
        let until = SystemTime::UNIX_EPOCH + Duration::from_millis(job.not_after.as_millis());
        let work = Work { left: &job.left, ..self.work(job.row, &job.name, &job.noted, Some(until)) };
        let (_under_way, fresh) = self.fresh.begin(job, kind.driver.is_whole_in_lists(), self.session.now());
        carried_out(kind, &work, job, fresh).await.unwrap_or_else(Stop::outcome)
    }

    pub(super) fn work<'a>(
        &'a self,
        row: Id,
        name: &str,
        noted: &'a BTreeMap<Name, wattle_model::Value>,
        until: Option<SystemTime>,
    ) -> Work<'a> {
        Work {
            session: &self.session,
            asked: &self.asked,
            marks: &self.marks,
            mark: self.marks.of(row),
            name: format!("{}-{name}", self.marks.stack()),
            noted,
            left: &NOTHING,
            until,
        }
    }
}

fn unknown(ty: &str) -> Outcome {
    let known = || super::kinds().map(|kind| kind.name);
    let help = wattle_words::names::meant(ty, known())
        .unwrap_or_else(|| format!("there are {}", wattle_words::names::list(known(), "and")));
    Outcome::Refused(format!("the type `{ty}` is not supported: {help}").into())
}

async fn carried_out(kind: &ResourceType, work: &Work<'_>, job: &Job, fresh: Option<Found>) -> Result<Outcome, Stop> {
    let driver = kind.driver;
    match &job.what {
        What::Create { properties } => create(kind, work, &sent(properties), job.is_new).await,
        What::Look => match driver.look(work, None).await? {
            // It is unknown how to finish it, so it does not count as the row's thing. Having no row, it will be
            // deleted.
            Some(found) if driver.is_half(&found) => Ok(Outcome::Absent),
            Some(found) => Ok(driver.outcome(&found)),
            None => Ok(Outcome::Absent),
        },
        What::Update { properties } => {
            let properties = sent(properties);
            kind.check(&properties)?;
            if let Some(found) = fresh
                && driver.is_light(work, &found, &properties).await?
            {
                match changed(driver, work, found, &properties).await {
                    // It may have been deleted since it was listed.
                    Err(Stop::Fault(fault)) if fault.is_missing() => {}
                    ended => return ended,
                }
            }
            let found = match phys(driver, work, job).await? {
                Some(phys) => driver.get(work, &phys).await?,
                None => None,
            };
            match found {
                Some(found) => changed(driver, work, found, &properties).await,
                None if driver.is_tie() => create(kind, work, &properties, false).await,
                None => Ok(Outcome::Absent),
            }
        }
        What::Read => match phys(driver, work, job).await? {
            Some(phys) => {
                let found = driver.get(work, &phys).await?;
                Ok(found.map_or(Outcome::Absent, |found| driver.outcome(&found)))
            }
            None => Ok(Outcome::Absent),
        },
        What::Release { exclusive } => {
            let Some(phys) = phys(driver, work, job).await? else { return Ok(Outcome::Absent) };
            let Some(found) = driver.get(work, &phys).await? else { return Ok(Outcome::Absent) };
            driver.release(work, found, exclusive).await
        }
        // OpenStack does not manage what runs on a server.
        What::Drain => Ok(Outcome::Done(None)),
        What::Delete => match phys(driver, work, job).await? {
            Some(phys) => driver.delete(work, &phys).await,
            None => Ok(Outcome::Absent),
        },
    }
}

/// Changes what differs, unless the thing belongs to someone else.
async fn changed(driver: &dyn Driver, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
    adopt::is_nobody_elses(driver, work, &found)?;
    driver.update(work, found, properties).await
}

async fn create(kind: &ResourceType, work: &Work<'_>, properties: &Value, is_new: bool) -> Result<Outcome, Stop> {
    let driver = kind.driver;
    kind.check(properties)?;
    // Search even for a new tie: existing ties may not carry their own mark.
    let found = if is_new && !driver.is_tie() { None } else { driver.look(work, Some(properties)).await? };
    let found = match found {
        Some(found) => found,
        None => match driver.make(work, properties).await {
            Ok(Made::Thing(found)) => found,
            Ok(Made::Accepted(phys)) => return Ok(Outcome::Accepted(Some(phys.into()))),
            Err(stop) if stop.is_unknown() => look_again(driver, work, properties).await.ok_or(stop)?,
            Err(stop) => return Err(stop),
        },
    };
    // From here on a thing exists, so it has to be removed if it does not become usable.
    match driver.finish(work, found, properties).await.map_err(Stop::outcome) {
        Ok(found) => Ok(driver.outcome(&found)),
        Err(Outcome::Refused(why)) => Ok(Outcome::Broken(why)),
        // Repeating the remaining steps is harmless, so there is no need to wait for a lost request.
        Err(Outcome::Unknown) => Err(Stop::later()),
        Err(outcome) => Ok(outcome),
    }
}

/// The pauses before each search for a thing whose creation got no response.
const PAUSES: [u64; 5] = [0, 1, 2, 4, 8];

/// Searches for a thing whose creation got no response. As long as it does not appear, the request may still arrive.
async fn look_again(driver: &dyn Driver, work: &Work<'_>, properties: &Value) -> Option<Found> {
    // Reading is harmless after the lease, too.
    let eyes = Work { mark: work.mark.clone(), name: work.name.clone(), until: None, ..*work };
    for pause in PAUSES.map(Duration::from_secs) {
        if !pause.is_zero() {
            if work.until.is_some_and(|until| until < work.session.now() + pause) {
                break;
            }
            work.session.pause(pause).await;
        }
        if let Ok(Some(found)) = driver.look(&eyes, Some(properties)).await {
            return Some(found);
        }
    }
    None
}

/// The name in the cloud of the row's thing.
async fn phys(driver: &dyn Driver, work: &Work<'_>, job: &Job) -> Result<Option<String>, Stop> {
    match &job.phys {
        Some(phys) => Ok(Some((**phys).to_owned())),
        None => Ok(driver.look(work, None).await?.map(|found| found.phys)),
    }
}
